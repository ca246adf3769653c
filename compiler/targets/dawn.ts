/** Limits that Dawn, the WebGPU of Chromium, reports through an API whatever the GPU. */
import { given, type Given } from './profile';

const D3D12 = 'Dawn, src/dawn/native/d3d12/PhysicalDeviceD3D12.cpp at 01702af';

/** Every GPU through D3D12, except Qualcomm's. */
export const THROUGH_D3D12: Given = given(D3D12, {
  maxWorkgroupBytes: 32_768,
  maxInvocations: 1024,
  maxStorageBindingBytes: 2_147_483_644,
  subgroupMatrices: [],
});
