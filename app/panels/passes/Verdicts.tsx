/**
 * Verdict of check mode on a pass, in words: with the first element that went wrong by its indices.
 */
import { checkCoverage } from '../../checkCoverage';
import type { CheckedPass } from '../../events';
import type { CheckEvent } from '../../state/record';
import { tensorArgument } from '../../state/inputs';
import { useRun } from '../../state/run';
import { useCompilation } from '../../state/compilation';
import { elementName } from '../memory/elements';

/** The name under which a check's list ends with the GPU's own result. */
const GPU = 'gpu';
const GPU_SAYS: Record<Exclude<CheckedPass['verdict'], 'failed'>, string> = {
  same: 'GPU result matches the IR',
  rounding: 'GPU result differs from the IR by rounding only',
  different: 'GPU result differs from the IR',
};

export const SIGNS: Record<CheckedPass['verdict'], readonly [string, string, string]> = {
  same: ['✓', 'pass', 'same result as before the pass'],
  rounding: ['≈', 'warn', 'differs by rounding only'],
  different: ['✗', 'fail', 'changed the result'],
  failed: ['!', 'fail', 'could not be interpreted'],
};

type First = NonNullable<CheckedPass['first']>;

/** `out_ptr[3, 17]`; the plain index of the storage where the tensor's shape is not known. */
export function useElementNames(): (first: First) => string {
  const launches = useRun((state) => state.launches);
  const record = useRun((session) => session.record);
  const inView = useCompilation((state) => state.inView);
  return ({ argument, index }) => {
    const launch = launches.find((one) => one.key === inView?.key);
    const labels = record?.groups.find(({ first }) => first.key === inView?.key)?.first.arguments;
    const tensor = launch && labels ? tensorArgument(launch, labels, argument) : null;
    const name = tensor && elementName(index - tensor.before, tensor.shape, tensor.strides);
    return `${argument}${name ?? `[${index}]`}`;
  };
}

function useDetail(): (check: CheckedPass) => string {
  const nameOf = useElementNames();
  return ({ name, first, message }) => {
    const [was, became] = name === GPU ? ['is', 'on the GPU it is'] : ['was', 'became'];
    const place = first
      ? `: ${nameOf(first)} ${was} ${String(first.before)}, ${became} ${String(first.after)}`
      : '';
    return `${place}${message ? `. ${message}` : ''}`;
  };
}

/** Check mode's last word: what the GPU computed beside what the last IR means. */
export function GpuVerdict(props: { readonly checked: readonly CheckedPass[] }): React.ReactNode {
  const detail = useDetail();
  const check = props.checked.find(({ name }) => name === GPU);
  if (!check) return null;
  const [sign, kind] = SIGNS[check.verdict];
  const reported =
    check.verdict === 'failed' ? 'The last IR could not be interpreted' : GPU_SAYS[check.verdict];
  return (
    <p className="gpu-verdict" title={detail(check)}>
      <span className={`sign ${kind}`}>{sign}</span> {reported}
      {check.verdict === 'same' ? '' : detail(check)}
    </p>
  );
}

/** For how many programs the passes were checked, where that is not all of the launch. */
export function Coverage({ check }: { readonly check: CheckEvent }): React.ReactNode {
  const text = checkCoverage(check);
  return text === null ? null : <p className="gpu-verdict">{text}</p>;
}

export function Verdict({ verdict: check }: { readonly verdict: CheckedPass }): React.ReactNode {
  const detail = useDetail();
  const sign = SIGNS[check.verdict];
  return (
    <p className={check.verdict === 'rounding' ? 'notice' : 'notice fail'}>
      <span className={`sign ${sign[1]}`}>{sign[0]}</span>
      <span>
        Verified: this pass {sign[2]}
        {detail(check)}
      </span>
    </p>
  );
}
