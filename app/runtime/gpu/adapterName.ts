/** The name under which an adapter is shown. */

/** A vendor and the version of its driver: "NVIDIA: 580.159.04 580.159.4.0". */
const DRIVER = /^[^:]*: [\d. ]+$/;

/** A name a person recognises: "nvidia-h200 (NVIDIA: 580.159.04)", "SwiftShader driver 5.0.0". */
export function adapterName({
  vendor,
  architecture,
  device,
  description,
}: Pick<GPUAdapterInfo, 'vendor' | 'architecture' | 'device' | 'description'>): string {
  if (device && DRIVER.test(description)) return `${device} (${description})`;
  // Stock browsers leave the last two empty: "nvidia hopper".
  const family = [vendor, architecture].filter((part) => part !== '').join(' ');
  return description || device || family || 'unknown adapter';
}
