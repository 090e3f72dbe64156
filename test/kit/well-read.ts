import type { FailedSensor, Samples } from '../../src/platform/contract.ts';

/** The samples that `read` yields. Throws the error of a sensor that failed. */
export async function* wellRead(items: AsyncIterable<Samples | FailedSensor>): AsyncGenerator<Samples> {
  for await (const item of items) {
    if ('failed' in item) throw item.failed;
    yield item;
  }
}
