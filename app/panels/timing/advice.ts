/**
 * Changes of a launch's settings that are most likely to help against what limits it: at most two,
 * the likelier first. Each is a guess that is there to be tried: the reason names what it does and
 * the numbers it rests on.
 *
 * Guarantee: a change is to a value that real Triton takes (`allowedValue`).
 */
import {
  allowedValue,
  DEFAULT_OPTIONS,
  type LaunchSetting,
  type LaunchSettings,
  type SettingRole,
} from '../../../compiler/language/settingValues';
import { MANY_REGISTERS } from '../../../compiler/machine';
import type { LaunchCost, Limit } from '../../events';
import type { Verdict } from '../../runtime/verdict';
import { formatBytes, formatCount, formatNumber } from '../common/format';

export interface Advice {
  readonly setting: LaunchSetting;
  readonly from: number;
  readonly to: number;
  readonly reason: string;
}

/** The value that holds: the text's, or Triton's default of an option. */
export function valueOf({ name, value }: LaunchSetting): number {
  return value ?? DEFAULT_OPTIONS[name as keyof typeof DEFAULT_OPTIONS];
}

interface Rule {
  readonly role: SettingRole;
  readonly step: 'double' | 'halve' | 'more';
  readonly when?: boolean;
  readonly reason: string;
}

/** Elements of a thread below which its accesses are narrower than 16 bytes of f32. */
const FULL_VECTOR = 4;
const MOST = 2;

export function adviceFor(
  verdict: Verdict,
  cost: LaunchCost,
  { settings, loops }: LaunchSettings,
): Advice[] {
  const found: Advice[] = [];
  for (const { role, step, when = true, reason } of rulesOf(verdict, cost, settings, loops)) {
    if (!when) continue;
    // The smallest one of several blocks: the tile becomes squarer.
    const own = settings
      .filter((each) => each.role === role && !found.some(({ setting }) => setting === each))
      .map((setting) => ({ setting, from: valueOf(setting) }))
      // More stages than two are the same program here (docs/hints.md).
      .filter(({ from }) => role !== 'stages' || from === 1)
      .sort((a, b) => (step === 'halve' ? b.from - a.from : a.from - b.from));
    const made = own
      .map(({ setting, from }) => ({ setting, from, to: stepped(from, step), reason }))
      .find(({ to }) => allowedValue(role, to));
    if (made) found.push(made);
    if (found.length === MOST) break;
  }
  return found;
}

function stepped(value: number, step: Rule['step']): number {
  return step === 'double' ? value * 2 : step === 'halve' ? value / 2 : value + 1;
}

function rulesOf(
  verdict: Verdict,
  cost: LaunchCost,
  settings: readonly LaunchSetting[],
  loops: boolean,
): Rule[] {
  const { threads = 0, registers = 0 } = cost.resources ?? {};
  const minimum = cost.readBytes + cost.writtenBytes;
  const again = minimum > 0 ? cost.requestedBytes / minimum : 1;
  const blocks = settings.filter(({ role }) => role === 'block');
  const each = blocks.length === 1 && threads > 0 ? valueOf(blocks[0]!) / threads : null;
  const narrow = each !== null && each < FULL_VECTOR;
  const perThread = each === null ? '' : `, now ${formatNumber(each, 2)} a thread`;
  const stages: Rule = {
    role: 'stages',
    step: 'more',
    when: loops,
    reason: 'loads of a later iteration start earlier, so that fewer of them are waited for',
  };
  const wider: Rule = {
    role: 'block',
    step: 'double',
    reason: narrow
      ? `each thread has twice the elements${perThread}: wider loads, more of them in flight`
      : `half of the programs, each with twice the loads in flight${perThread === '' ? '' : ` (${perThread.slice(2)})`}`,
  };
  const fewerThreads: Rule = {
    role: 'warps',
    step: 'halve',
    reason: `half of the ${threads} threads have twice the elements each${perThread}: wider loads`,
  };
  const moreThreads: Rule = {
    role: 'warps',
    step: 'double',
    reason: `twice the ${threads} threads a program, each with fewer of its ${registers} registers`,
  };
  const largerTile: Rule = {
    role: 'block',
    step: 'double',
    reason: `a larger tile uses each byte more often: programs ask for ${formatBytes(cost.requestedBytes)}, ${formatNumber(again, 3)} × the minimum`,
  };
  const byLimit: Readonly<Record<Limit, readonly Rule[]>> = {
    // A setting of the kernel does not make a launch cheaper.
    'launch overhead': [],
    bandwidth: [
      { ...largerTile, when: again > 2 },
      {
        role: 'order',
        step: 'double',
        when: again > 2,
        reason: 'programs that run together share more of their rows and columns in the cache',
      },
      { ...wider, when: again <= 2 },
      { ...fewerThreads, when: narrow },
      moreThreads,
    ],
    arithmetic: [
      { ...largerTile, when: again > 2 },
      { ...moreThreads, when: registers > MANY_REGISTERS },
      stages,
      moreThreads,
      wider,
    ],
    occupancy: [
      {
        role: 'split',
        step: 'double',
        reason: 'twice the programs, each with half of the sum',
      },
      {
        role: 'block',
        step: 'halve',
        reason: `twice the programs: ${formatCount(verdict.threads ?? 0)} threads do not fill this device`,
      },
      moreThreads,
    ],
    latency: [
      stages,
      { ...moreThreads, when: registers > MANY_REGISTERS },
      { ...wider, when: narrow || again > 2 },
      { ...fewerThreads, when: narrow },
      moreThreads,
      {
        role: 'block',
        step: 'halve',
        reason: 'twice the programs, one of which runs as another waits',
      },
    ],
  };
  return [...byLimit[verdict.limit]];
}
