/** The page's own commands. What belongs to one panel is registered by that panel. */
import { editorAction } from './editor/active';
import { PANEL_ENTRIES, panelKeys } from './panels/registry';
import { registerCommands, type Command } from './state/commands';
import { copyLink } from './share/copy';
import {
  duplicate,
  goTo,
  newProgram,
  refreshPrograms,
  resetProgram,
  usePrograms,
} from './programs/programs';
import { dismiss } from './programs/notices';
import { exampleId, isModified, useDocument } from './state/document';
import { lastUndo, undoEntry } from './state/undoStack';
import { changeEditorSettings, EDITOR_SETTINGS, useEditorSettings } from './state/editorSettings';
import { disconnect, runThere, stopThere, useRealTriton } from './state/realTriton';
import { toggleBreakpoint } from './state/breakpoints';
import { hideLineCosts, launchForCosts, showLineCosts, useLineCosts } from './state/lineCosts';
import { useLocation } from './state/location';
import { checkInView, problemIn } from './state/checkable';
import { prove, stopProof, useProving } from './state/proof';
import { goHome, goToLesson, isList, useRoute } from './state/route';
import { isBusy, restart, run, stop, useSession } from './state/session';
import { changeSettings, effectiveSettings, THEME_CHOICES, THEME_NAMES } from './state/settings';
import { currentOptions, useCompilation } from './state/compilation';
import {
  choosePanel,
  chooseSpecialization,
  openDialog,
  PANELS,
  split,
  unsplit,
  useView,
  type PanelName,
} from './state/view';

/** The palette lists what can be done without it. */
const noDialog = (): boolean => [null, 'palette'].includes(useView.getState().dialog);
const busy = (): boolean => isBusy(useSession.getState());

function runCommands(): Command[] {
  const settings = effectiveSettings();
  return [
    {
      id: 'run',
      title: 'Run the program',
      group: 'Run',
      keys: ['Mod+Enter'],
      words: 'start execute launch',
      available: () => !isList(useRoute.getState()),
      run,
    },
    {
      id: 'stop',
      title: 'Stop the program',
      group: 'Run',
      keys: ['Escape'],
      words: 'interrupt cancel',
      available: () => noDialog() && busy(),
      run: stop,
    },
    {
      id: 'check',
      title: 'Check the program against its reference',
      group: 'Run',
      words: 'judge solution problem tests verdict checks reference',
      available: () => problemIn(useDocument.getState().files) !== null && !busy(),
      run: checkInView,
    },
    {
      id: 'line-costs',
      title: useLineCosts.getState().shown
        ? 'Hide the cost by line'
        : 'Show the cost by line in the margin',
      group: 'Inspect',
      words: 'profile bytes flops instructions barriers bank conflicts registers source hot',
      available: () => useLineCosts.getState().shown || launchForCosts() !== null,
      run: () => (useLineCosts.getState().shown ? hideLineCosts() : void showLineCosts()),
    },
    {
      id: 'prove',
      title: 'Prove the program',
      group: 'Run',
      words: 'verify bounds races algebra correct counterexample',
      available: () => !isList(useRoute.getState()) && useProving.getState().proving === null,
      run: () => {
        choosePanel('prove');
        prove();
      },
    },
    {
      id: 'stop-proof',
      title: 'Stop the proof',
      group: 'Run',
      words: 'prove interrupt cancel',
      available: () => useProving.getState().proving !== null,
      run: stopProof,
    },
    {
      id: 'restart-python',
      title: 'Restart Python',
      group: 'Run',
      words: 'worker reset',
      available: () => !busy(),
      run: restart,
    },
    {
      id: 'check-mode',
      title: settings.check ? 'Turn check mode off' : 'Turn check mode on',
      group: 'Run',
      words: 'interpreter verify every pass',
      run: () => changeSettings({ check: !settings.check }),
    },
    {
      id: 'tune-choices',
      title: settings.tune ? 'Use the default schedules' : 'Tune schedules of kernels for this GPU',
      group: 'Run',
      words: 'autotune compiler options threads staging unroll faster',
      run: () => changeSettings({ tune: !settings.tune }),
    },
    {
      id: 'adapter',
      title:
        settings.adapter === 'webgpu' ? 'Run on the interpreter instead' : 'Run on WebGPU again',
      group: 'Run',
      words: 'cpu gpu adapter device',
      run: () =>
        changeSettings({
          adapter: settings.adapter === 'webgpu' ? 'interpreter' : 'webgpu',
        }),
    },
    {
      id: 'run-real-triton',
      title: 'Run it on real Triton',
      group: 'Run',
      keys: ['Mod+Shift+Enter'],
      words: 'cuda jupyter server nvidia remote',
      available: () => useRealTriton.getState().phase !== 'running' && !isList(useRoute.getState()),
      run: () => void runThere(),
    },
    {
      id: 'stop-real-triton',
      title: 'Stop the program on real Triton',
      group: 'Run',
      words: 'cuda jupyter interrupt',
      available: () => useRealTriton.getState().phase === 'running',
      run: stopThere,
    },
    {
      id: 'jupyter-server',
      title: 'Connect to a Jupyter server with real Triton',
      group: 'Run',
      words: 'cuda nvidia remote token',
      run: () => openDialog('real-triton'),
    },
    {
      id: 'jupyter-disconnect',
      title: 'Disconnect from the Jupyter server',
      group: 'Run',
      available: () => useRealTriton.getState().phase === 'ready',
      run: () => void disconnect(),
    },
  ];
}

/** Puts the focus where one writes, or where one reads. */
function focusEditor(): void {
  useView.setState({ half: 'editor' });
  requestAnimationFrame(() => {
    const place = document.querySelector<HTMLElement>(
      '.editor .native-edit-context, .editor textarea',
    );
    place?.focus();
  });
}
function focusPanel(): void {
  useView.setState({ half: 'results' });
  requestAnimationFrame(() => {
    const { group } = useView.getState();
    const groups = document.querySelectorAll<HTMLElement>('.tabs');
    const tabs = groups[group === 'second' ? 1 : 0] ?? groups[0];
    tabs?.querySelector<HTMLElement>('.tabpanel[data-state=active]')?.focus();
  });
}

function panelCommands(): Command[] {
  const { second, splitDirection, problemsOpen } = useView.getState();
  const panels = PANELS.map((name): Command => {
    const keys = panelKeys(name);
    return {
      id: `panel-${name}`,
      title: `Show ${PANEL_ENTRIES[name].title}`,
      group: 'Panels',
      words: PANEL_ENTRIES[name].says,
      ...(keys ? { keys: [keys] } : {}),
      available: noDialog,
      run: () => {
        choosePanel(name);
        focusPanel();
      },
    };
  });
  return [
    ...panels,
    {
      id: 'focus-editor',
      title: 'Go to the program',
      group: 'Panels',
      keys: ['Alt+0'],
      words: 'focus editor text',
      run: focusEditor,
    },
    {
      id: 'split',
      title: second === null ? 'Split: two panels at once' : 'Close the second group of panels',
      group: 'Panels',
      keys: ['Alt+s'],
      words: 'side by side unsplit',
      available: noDialog,
      run: () => (second === null ? split(splitDirection) : unsplit()),
    },
    {
      id: 'split-turn',
      title: splitDirection === 'right' ? 'Put the second group below' : 'Put it to the right',
      group: 'Panels',
      words: 'split orientation horizontal vertical',
      available: () => useView.getState().second !== null,
      run: () => split(splitDirection === 'right' ? 'below' : 'right'),
    },
    {
      id: 'problems',
      title: problemsOpen ? 'Hide the problems' : 'Show the problems',
      group: 'Panels',
      keys: ['Alt+p'],
      words: 'errors warnings diagnostics',
      run: () => useView.setState({ problemsOpen: !problemsOpen }),
    },
  ];
}

function specializationCommands(): Command[] {
  const { inView } = useCompilation.getState();
  return currentOptions()
    .filter((option) => option.kernel !== inView?.kernel || option.key !== inView.key)
    .map((option) => ({
      id: `view-${option.kernel}-${option.key ?? 'guess'}`,
      title: `Inspect ${option.label}`,
      group: 'Inspect',
      words: 'specialization kernel',
      run: () => chooseSpecialization({ kernel: option.kernel, key: option.key }),
    }));
}

function programCommands(): Command[] {
  const { examples } = useDocument.getState();
  const own = (usePrograms.getState().list ?? []).filter((one) => one.origin.kind !== 'example');
  return [
    ...own.map((one): Command => ({
      id: `program-${one.id}`,
      title: `Open my program: ${one.name}`,
      group: 'Program',
      run: () => void goTo(one.id),
    })),
    ...examples.map((example): Command => ({
      id: `example-${example.file}`,
      title: `Open the example: ${example.title}`,
      group: 'Program',
      words: `${example.summary} ${example.file}`,
      run: () => void goTo(exampleId(example.file)),
    })),
    {
      id: 'new-program',
      title: 'New program',
      group: 'Program',
      words: 'create file',
      run: () => void newProgram(),
    },
    {
      id: 'gallery',
      title: 'Gallery: example programs by subject',
      group: 'Program',
      words: 'examples kernels search',
      run: () => openDialog('gallery'),
    },
    {
      id: 'my-programs',
      title: 'My programs: open, rename, delete, import, export',
      group: 'Program',
      keys: ['Alt+o'],
      words: 'files list folder zip',
      run: () => openDialog('programs'),
    },
    {
      id: 'open-address',
      title: 'Open from a URL: GitHub, gist, Hugging Face, notebook',
      group: 'Program',
      words: 'address import fetch colab ipynb bookmarklet repository raw',
      run: () => openDialog('open'),
    },
    {
      id: 'packages',
      title: 'Packages: fetch what the program imports',
      group: 'Program',
      words: 'pip install wheel whl import scipy pandas pyodide dependencies',
      run: () => openDialog('packages'),
    },
    {
      id: 'duplicate',
      title: 'Duplicate the program',
      group: 'Program',
      words: 'copy fork',
      run: () => void duplicate(useDocument.getState().program),
    },
    {
      id: 'history',
      title: 'History of the program',
      group: 'Program',
      keys: ['Alt+h'],
      words: 'restore earlier version undo',
      run: () => openDialog('history'),
    },
    {
      id: 'undo',
      title: lastUndo() ? `Undo: ${lastUndo()!.text}` : 'Nothing to undo',
      group: 'Program',
      keys: ['Alt+z'],
      words: 'back revert settings files deleted imported',
      available: () => lastUndo() !== null,
      run: () => {
        dismiss();
        void undoEntry();
      },
    },
    {
      id: 'reset',
      title: 'Reset the program to the original',
      group: 'Program',
      available: () => isModified(useDocument.getState()),
      run: resetProgram,
    },
  ];
}

/** At the editor's cursor where one types, else at the line that is selected in every pane. */
function toggleBreakpointHere(): void {
  const { selected } = useLocation.getState();
  const inEditor = document.activeElement?.closest('.editor') ?? null;
  if (!selected || inEditor) editorAction('breakpoint');
  else toggleBreakpoint(selected.file, selected.line);
}

function editorCommands(): Command[] {
  return [
    {
      id: 'format',
      title: 'Format the program',
      group: 'Editor',
      words: 'ruff black indent tidy',
      available: () => !useDocument.getState().readOnly,
      run: () => editorAction('format'),
    },
    {
      id: 'toggle-breakpoint',
      title: 'Toggle breakpoint',
      group: 'Editor',
      keys: ['F9'],
      words: 'debugger stop break',
      available: () => !isList(useRoute.getState()),
      run: toggleBreakpointHere,
    },
  ];
}

function viewCommands(): Command[] {
  const settings = effectiveSettings();
  const editor = useEditorSettings.getState();
  return [
    {
      id: 'settings',
      title: 'Settings',
      group: 'View',
      keys: ['Mod+,'],
      words: 'preferences options adapter memory check seed motion theme',
      available: noDialog,
      run: () => openDialog('settings'),
    },
    {
      id: 'privacy',
      title: 'Privacy',
      group: 'View',
      words: 'storage data cookies kept sent network delete',
      available: noDialog,
      run: () => openDialog('privacy'),
    },
    {
      id: 'device-report',
      title: 'Device report',
      group: 'View',
      words: 'gpu adapter measure benchmark limits features bandwidth issue',
      run: () => void window.open('./device.html', '_blank', 'noopener'),
    },
    ...EDITOR_SETTINGS.map(([name, title]): Command => ({
      id: `editor-${name}`,
      title: `${title}: turn ${editor[name] ? 'off' : 'on'}`,
      group: 'Editor',
      words: 'settings preferences mode',
      run: () => changeEditorSettings({ [name]: !editor[name] }),
    })),
    ...THEME_CHOICES.map((theme): Command => ({
      id: `theme-${theme}`,
      title: `Theme: ${THEME_NAMES[theme]}`,
      group: 'View',
      words: 'colours light dark contrast',
      available: () => settings.theme !== theme,
      run: () => changeSettings({ theme }),
    })),
    {
      id: 'stillness',
      title: settings.stillness ? 'Allow motion, as the system does' : 'Reduce motion',
      group: 'View',
      words: 'animation',
      run: () => changeSettings({ stillness: !settings.stillness }),
    },
    {
      id: 'single-keys',
      title: settings.singleKeys ? 'Turn single-key shortcuts off' : 'Turn single-key shortcuts on',
      group: 'View',
      words: 'j k d c keyboard',
      run: () => changeSettings({ singleKeys: !settings.singleKeys }),
    },
  ];
}

function shareCommands(): Command[] {
  return [
    {
      id: 'share',
      title: 'Share: link, embed, export',
      group: 'Share',
      keys: ['Mod+s'],
      words: 'save send url iframe download notebook colab markdown png',
      available: noDialog,
      run: () => openDialog('share'),
    },
    {
      id: 'copy-link',
      title: 'Copy a link to this',
      group: 'Share',
      words: 'share url clipboard',
      run: () => void copyLink(),
    },
  ];
}

function helpCommands(): Command[] {
  const learning = useRoute.getState().kind === 'learn';
  return [
    {
      id: 'palette',
      title: 'All commands',
      group: 'Help',
      keys: ['Mod+k'],
      run: () => {
        void refreshPrograms();
        openDialog(useView.getState().dialog === 'palette' ? null : 'palette');
      },
    },
    {
      id: 'help',
      title: 'Keyboard shortcuts and help',
      group: 'Help',
      keys: ['?', 'F1'],
      words: 'keys',
      run: () => openDialog('help'),
    },
    {
      id: 'learn',
      title: learning ? 'Leave the lesson' : 'Learn: lessons and puzzles',
      group: 'Learn',
      words: 'tutorial course',
      run: () => (learning ? goHome() : goToLesson()),
    },
  ];
}

/**
 * Registers them all, in the order in which the palette shows them.
 * @param embedded the panels of an embedded page, null for all of them: it has no dialogs, only
 * these
 *   panels, Run and Stop. Absent in a page of its own.
 */
export function startCommands(embedded?: readonly PanelName[] | null): void {
  if (embedded !== undefined) {
    const ids = new Set(['run', 'stop', 'focus-editor']);
    for (const panel of embedded ?? PANELS) ids.add(`panel-${panel}`);
    registerCommands('embedded', () =>
      [...runCommands(), ...panelCommands()].filter((command) => ids.has(command.id)),
    );
    return;
  }
  registerCommands('run', runCommands);
  registerCommands('panels', panelCommands);
  registerCommands('specializations', specializationCommands);
  registerCommands('programs', programCommands);
  registerCommands('share', shareCommands);
  registerCommands('editor', editorCommands);
  registerCommands('view', viewCommands);
  registerCommands('help', helpCommands);
}
