import { z } from 'zod';
import type { Severity } from '../../alert/alert.ts';

export const levels = ['ELEVATED', 'HIGH', 'EXTREME'] as const;
export const level = z.enum(levels);
export type Level = z.output<typeof level>;
/** |z| above which each level begins, as the interface says. */
export const thresholds: Readonly<Record<Level, number>> = { ELEVATED: 1.5, HIGH: 2, EXTREME: 3 };
export const rank = (value: Level): number => levels.indexOf(value);

/** How urgent a level is where it is everyone's news, and the level of each urgency. */
export const severityOf = { ELEVATED: 'info', HIGH: 'warning', EXTREME: 'critical' } as const;
export const levelOf: Readonly<Record<Severity, Level>> = {
  info: 'ELEVATED',
  warning: 'HIGH',
  critical: 'EXTREME',
};
