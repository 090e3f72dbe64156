import { moveDay } from '../../src/archive/move.ts';
import type { Moved } from '../../src/archive/move.ts';
import { openDatabase } from '../../src/database/database.ts';
import type { ArchiveBucket, ArchivePlace } from '../../src/database/archive-place.ts';

// Moves a day and kills itself at a step of it.
const [url = '', place = '', projectId, day, last] = process.argv.slice(2);
const { bucket, ...local } = JSON.parse(place) as ArchivePlace & { bucket?: ArchiveBucket & { secret: unknown } };
const secret = () => Promise.resolve(String(bucket?.secret));
const archive = { ...local, bucket: bucket && { ...bucket, secret } };
const database = await openDatabase({ url, poolSize: 2, applicationName: 'archive-mover', patient: false, archive });
let moved: Moved = { outcome: 'busy' };
while (moved.outcome === 'busy') {
  moved = await moveDay(
    database,
    { projectId: Number(projectId), day: Number(day) },
    {
      reached: (step) => {
        if (step === last) process.kill(process.pid, 'SIGKILL');
      },
    },
  );
}
