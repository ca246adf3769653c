/*
 * A Vulkan layer that asks the driver what each compute pipeline takes (registers, spilled bytes, shared
 * memory, size of the code), which WebGPU does not tell, and appends a line for each to the file that the
 * environment's PIPESTATS names. `--sweep` prints it behind the rates. NVIDIA's driver answers; drivers
 * without VK_KHR_pipeline_executable_properties are left as they are.
 *
 *   cc -O1 -shared -fPIC -o libregisters.so bench/registers.c          (needs Vulkan's headers)
 *   echo '{"file_format_version": "1.1.2", "layer": {"name": "VK_LAYER_registers", "type": "GLOBAL",
 *     "library_path": "./libregisters.so", "api_version": "1.3.0", "implementation_version": "1",
 *     "description": "statistics of pipelines"}}' >registers.json
 *   VK_LAYER_PATH=$PWD VK_INSTANCE_LAYERS=VK_LAYER_registers PIPESTATS=/tmp/stats node bench/run.ts ...
 *
 * "Local Memory Size" of NVIDIA's has 16 in its upper half; the lower half is what a thread spills.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

static PFN_vkGetInstanceProcAddr next_instance_proc;
static PFN_vkGetDeviceProcAddr next_device_proc;
static VkInstance the_instance;
static PFN_vkCreateComputePipelines next_create;
static PFN_vkGetPipelineExecutablePropertiesKHR get_properties;
static PFN_vkGetPipelineExecutableStatisticsKHR get_statistics;
static int enabled;

static VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo *info,
                                                      const VkAllocationCallbacks *allocator, VkInstance *out) {
  VkLayerInstanceCreateInfo *link = (VkLayerInstanceCreateInfo *)info->pNext;
  while (link && !(link->sType == VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO &&
                   link->function == VK_LAYER_LINK_INFO))
    link = (VkLayerInstanceCreateInfo *)link->pNext;
  if (!link) return VK_ERROR_INITIALIZATION_FAILED;
  next_instance_proc = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
  link->u.pLayerInfo = link->u.pLayerInfo->pNext;
  PFN_vkCreateInstance create = (PFN_vkCreateInstance)next_instance_proc(NULL, "vkCreateInstance");
  VkResult result = create(info, allocator, out);
  if (result == VK_SUCCESS) the_instance = *out;
  return result;
}

static int has_extension(VkPhysicalDevice device, PFN_vkGetInstanceProcAddr proc) {
  PFN_vkEnumerateDeviceExtensionProperties list =
      (PFN_vkEnumerateDeviceExtensionProperties)proc(the_instance, "vkEnumerateDeviceExtensionProperties");
  uint32_t count = 0;
  list(device, NULL, &count, NULL);
  VkExtensionProperties *all = calloc(count, sizeof *all);
  list(device, NULL, &count, all);
  int found = 0;
  for (uint32_t i = 0; i < count; i++)
    found |= !strcmp(all[i].extensionName, VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME);
  free(all);
  return found;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
                                                    const VkAllocationCallbacks *allocator, VkDevice *out) {
  VkLayerDeviceCreateInfo *link = (VkLayerDeviceCreateInfo *)info->pNext;
  while (link && !(link->sType == VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO &&
                   link->function == VK_LAYER_LINK_INFO))
    link = (VkLayerDeviceCreateInfo *)link->pNext;
  if (!link) return VK_ERROR_INITIALIZATION_FAILED;
  PFN_vkGetInstanceProcAddr proc = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
  next_device_proc = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
  link->u.pLayerInfo = link->u.pLayerInfo->pNext;

  VkDeviceCreateInfo copy = *info;
  VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR feature = {
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR, (void *)info->pNext, VK_TRUE};
  const char **names = calloc(info->enabledExtensionCount + 1, sizeof *names);
  for (uint32_t i = 0; i < info->enabledExtensionCount; i++) names[i] = info->ppEnabledExtensionNames[i];
  enabled = getenv("PIPESTATS") && has_extension(physical, proc);
  if (enabled) {
    names[copy.enabledExtensionCount++] = VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME;
    copy.ppEnabledExtensionNames = names;
    copy.pNext = &feature;
  }
  PFN_vkCreateDevice create = (PFN_vkCreateDevice)proc(the_instance, "vkCreateDevice");
  VkResult result = create(physical, &copy, allocator, out);
  free(names);
  if (result != VK_SUCCESS) return result;
  next_create = (PFN_vkCreateComputePipelines)next_device_proc(*out, "vkCreateComputePipelines");
  get_properties = (PFN_vkGetPipelineExecutablePropertiesKHR)next_device_proc(
      *out, "vkGetPipelineExecutablePropertiesKHR");
  get_statistics = (PFN_vkGetPipelineExecutableStatisticsKHR)next_device_proc(
      *out, "vkGetPipelineExecutableStatisticsKHR");
  return result;
}

static void report(VkDevice device, VkPipeline pipeline, FILE *file) {
  VkPipelineInfoKHR which = {VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR, NULL, pipeline};
  uint32_t executables = 0;
  get_properties(device, &which, &executables, NULL);
  for (uint32_t e = 0; e < executables; e++) {
    VkPipelineExecutableInfoKHR info = {VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR, NULL, pipeline, e};
    uint32_t count = 0;
    get_statistics(device, &info, &count, NULL);
    VkPipelineExecutableStatisticKHR *all = calloc(count, sizeof *all);
    for (uint32_t i = 0; i < count; i++) all[i].sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR;
    get_statistics(device, &info, &count, all);
    for (uint32_t i = 0; i < count; i++)
      fprintf(file, "%s=%llu ", all[i].name, (unsigned long long)all[i].value.u64);
    free(all);
  }
  fprintf(file, "\n");
}

static VKAPI_ATTR VkResult VKAPI_CALL create_pipelines(VkDevice device, VkPipelineCache cache, uint32_t count,
                                                       const VkComputePipelineCreateInfo *infos,
                                                       const VkAllocationCallbacks *allocator, VkPipeline *out) {
  if (!enabled) return next_create(device, cache, count, infos, allocator, out);
  VkComputePipelineCreateInfo *copies = calloc(count, sizeof *copies);
  for (uint32_t i = 0; i < count; i++) {
    copies[i] = infos[i];
    copies[i].flags |= VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR;
  }
  VkResult result = next_create(device, VK_NULL_HANDLE, count, copies, allocator, out);
  free(copies);
  FILE *file = result == VK_SUCCESS ? fopen(getenv("PIPESTATS"), "a") : NULL;
  if (!file) return result;
  for (uint32_t i = 0; i < count; i++) report(device, out[i], file);
  fclose(file);
  return result;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL device_proc(VkDevice device, const char *name) {
  if (!strcmp(name, "vkCreateComputePipelines")) return (PFN_vkVoidFunction)create_pipelines;
  return next_device_proc(device, name);
}
static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL instance_proc(VkInstance instance, const char *name) {
  if (!strcmp(name, "vkCreateInstance")) return (PFN_vkVoidFunction)create_instance;
  if (!strcmp(name, "vkCreateDevice")) return (PFN_vkVoidFunction)create_device;
  if (!strcmp(name, "vkGetInstanceProcAddr")) return (PFN_vkVoidFunction)instance_proc;
  if (!strcmp(name, "vkGetDeviceProcAddr")) return (PFN_vkVoidFunction)device_proc;
  if (!strcmp(name, "vkCreateComputePipelines")) return (PFN_vkVoidFunction)create_pipelines;
  return next_instance_proc ? next_instance_proc(instance, name) : NULL;
}

VKAPI_ATTR VkResult VKAPI_CALL vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *version) {
  version->loaderLayerInterfaceVersion = 2;
  version->pfnGetInstanceProcAddr = instance_proc;
  version->pfnGetDeviceProcAddr = device_proc;
  version->pfnGetPhysicalDeviceProcAddr = NULL;
  return VK_SUCCESS;
}
