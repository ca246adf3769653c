/** AMD's GPUs through D3D12, with subgroups of 32 or 64 lanes as the driver likes. */
import { THROUGH_D3D12 } from './dawn';
import { given, profile, type Given, type Profile } from './profile';

const WAVES: Given = given('AMD, RDNA white paper: wave32 and wave64', { subgroupSize: 'none' });

export const AMD: readonly Profile[] = [
  profile('amd-rdna2', 'AMD RDNA 2', THROUGH_D3D12, WAVES),
  profile('amd-rdna3', 'AMD RDNA 3', THROUGH_D3D12, WAVES),
];
