import { runCommandLine } from './main-program.ts';

// A reader that closes the pipe early (`databridge … | head`) is no failure, and neither is a terminal that was closed.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
  });

await runCommandLine(process.argv);
