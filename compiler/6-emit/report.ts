/** Functions of the emitted module that queue printed values and failed assertions for the host. */
import { REPORT_WORDS } from '../boundsReport';
import { DEBUG_HEADER, DEBUG_RECORD } from '../program';

const [COUNT, FAILURES, FAILURE] = [REPORT_WORDS, REPORT_WORDS + 1, REPORT_WORDS + 2];
const FIRST = REPORT_WORDS + DEBUG_HEADER;

/** Records of prints, as far as the buffer goes, and the first failed assertion. */
export const DEBUG = `var<private> debug_iteration: u32;

fn debug_record(program: u32, site: u32, index: u32, low: u32, high: u32) {
  let place = atomicAdd(&report[${COUNT}], 1u);
  if (place < (arrayLength(&report) - ${FIRST}u) / ${DEBUG_RECORD}u) {
    let at = ${FIRST}u + place * ${DEBUG_RECORD}u;
    atomicStore(&report[at], program);
    atomicStore(&report[at + 1u], debug_iteration);
    atomicStore(&report[at + 2u], site);
    atomicStore(&report[at + 3u], index);
    atomicStore(&report[at + 4u], low);
    atomicStore(&report[at + 5u], high);
  }
}
fn debug_fail(program: u32, site: u32, index: u32) {
  if (atomicAdd(&report[${FAILURES}], 1u) == 0u) {
    atomicStore(&report[${FAILURE}], program);
    atomicStore(&report[${FAILURE + 1}], site);
    atomicStore(&report[${FAILURE + 2}], index);
  }
}
`;
