/** Times of launches, with the step of the clock that measured them. Microseconds. */

/** Microseconds on the GPU's clock, or on the CPU's where there is no GPU clock. */
export interface Timing {
  readonly clock: 'gpu' | 'cpu';
  readonly median: number;
  readonly low: number;
  readonly high: number;
  readonly samples: number;
  /** The clock's step. A median below it means *below resolution*, and is shown so. */
  readonly quantum: number;
  /**
   * So many launches in a row were timed together: the time is their mean, the step their share.
   */
  readonly together?: number;
}
