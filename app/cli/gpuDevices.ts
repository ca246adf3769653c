/** Files under which Linux has GPUs: whether a machine has one is found without a driver. */
import { existsSync } from 'node:fs';

export const GPU_DEVICES = ['/dev/dri', '/dev/nvidia0', '/dev/dxg', '/dev/kfd'] as const;

export const hasGpuDevice = (): boolean => GPU_DEVICES.some((path) => existsSync(path));
