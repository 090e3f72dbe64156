import type { ComponentChild } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { clockOf, dayOf, momentOf, valueOf, zone } from '../client/zone.ts';
import './line-chart.css';

interface ChartProps {
  readonly label: string;
  /** Seconds since 1970, with least, mean and greatest value; null where there is none. */
  readonly at: readonly number[];
  readonly min: readonly (number | null)[];
  readonly mean: readonly (number | null)[];
  readonly max: readonly (number | null)[];
  readonly names: readonly [at: string, min: string, mean: string, max: string];
}

const HEIGHT = 300;
/** A longer range has days on its axis, s. */
const DAYS = 3 * 86_400;

/** A line with the range of values around it, and the values below the cursor. */
export function LineChart({ label, at, min, mean, max, names }: ChartProps): ComponentChild {
  const place = useRef<HTMLDivElement>(null);
  const [theme, recolour] = useState(0);
  useEffect(() => {
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    const act = (): void => recolour((count) => count + 1);
    scheme.addEventListener('change', act);
    return () => scheme.removeEventListener('change', act);
  }, []);
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const colour = (name: string): string => {
      element.style.color = `var(${name})`;
      return getComputedStyle(element).color;
    };
    const [accent, quiet, line] = [colour('--accent'), colour('--quiet'), colour('--line')];
    element.style.color = '';
    const isLong = (at.at(-1) ?? 0) - (at[0] ?? 0) > DAYS;
    const axis = {
      stroke: quiet,
      grid: { stroke: line, width: 1 },
      ticks: { stroke: line, width: 1 },
      font: '12px Inter',
    };
    const value = (_: uPlot, shown: number | null): string => (shown === null ? '–' : valueOf(shown));
    const faint = accent.replace('rgb(', 'rgba(').replace(')', ', 0.18)');
    const chart = new uPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), zone()),
        axes: [
          { ...axis, values: (_, ticks) => ticks.map((tick) => (isLong ? dayOf : clockOf)(tick * 1_000)) },
          { ...axis, size: 64, values: (_, ticks) => ticks.map((tick) => valueOf(tick)) },
        ],
        bands: [{ series: [3, 1], fill: faint }],
        cursor: { drag: { x: false, y: false } },
        series: [
          { label: names[0], value: (_, shown: number | null) => (shown === null ? '–' : momentOf(shown * 1_000)) },
          { label: names[1], value, stroke: 'transparent', points: { show: false } },
          { label: names[2], value, stroke: accent, width: 1.6 },
          { label: names[3], value, stroke: 'transparent', points: { show: false } },
        ],
      },
      [[...at], [...min], [...mean], [...max]],
      element,
    );
    const watch = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: HEIGHT }));
    watch.observe(element);
    return () => {
      watch.disconnect();
      chart.destroy();
    };
  }, [at, min, mean, max, theme]);
  return <div ref={place} class="chart" role="img" aria-label={label} />;
}
