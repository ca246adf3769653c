import { beforeEach, describe, expect, it } from 'vitest';
import { editFile, isModified, programText, shownFile, useDocument } from './document';
import {
  addFile,
  deleteFile,
  freshName,
  makeEntry,
  nameProblem,
  renameFile,
  showFile,
} from './files';

const names = (): string[] => Object.keys(useDocument.getState().files);
const shown = (): string => shownFile(useDocument.getState());

describe('the files of a program', () => {
  beforeEach(() => {
    const files = { 'a.py': 'print(1)\n' };
    useDocument.setState({ entry: 'a.py', files, originals: files, shown: null, revision: 0 });
  });

  it('come, are edited apart, and go', () => {
    expect(programText()).toBe('print(1)\n');
    addFile('helpers.py', 'x = 1\n');
    expect(shown()).toBe('helpers.py');
    expect(isModified(useDocument.getState())).toBe(true);
    const before = programText();
    editFile('helpers.py', 'x = 2\n');
    // Results of the text before are old, although the file that runs is as it was.
    expect(programText()).not.toBe(before);
    expect(useDocument.getState().files['a.py']).toBe('print(1)\n');
    showFile('a.py');
    deleteFile('helpers.py');
    expect(names()).toEqual(['a.py']);
    expect(isModified(useDocument.getState())).toBe(false);
  });

  it('keep the one that runs, under whichever name', () => {
    addFile('helpers.py');
    deleteFile('a.py');
    expect(names()).toEqual(['a.py', 'helpers.py']);
    renameFile('a.py', 'main.py');
    expect(useDocument.getState().entry).toBe('main.py');
    expect(names()).toEqual(['main.py', 'helpers.py']);
    makeEntry('helpers.py');
    deleteFile('main.py');
    expect(useDocument.getState()).toMatchObject({ entry: 'helpers.py' });
  });

  it('show what runs where what was shown is gone', () => {
    addFile('helpers.py');
    deleteFile('helpers.py');
    expect(shown()).toBe('a.py');
    showFile('nowhere.py');
    expect(shown()).toBe('a.py');
  });

  it('have names that Python can import, each once', () => {
    const { files } = useDocument.getState();
    expect(nameProblem('b.py', files)).toBeNull();
    expect(nameProblem('kernels/b.py', files)).toBeNull();
    for (const wrong of ['a.py', 'b', '../b.py', 'b c.py', '.py', 'b.txt', '/b.py'])
      expect(nameProblem(wrong, files), wrong).not.toBeNull();
    addFile('b c.py');
    expect(names()).toEqual(['a.py']);
    expect(freshName(files)).toBe('helpers.py');
    expect(freshName({ ...files, 'helpers.py': '' })).toBe('helpers2.py');
  });
});
