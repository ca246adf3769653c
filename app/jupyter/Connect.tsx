/**
 * The dialog that connects to a Jupyter server of the visitor's, where programs run under real
 * Triton.
 */
import { useState } from 'react';
import { DialogFrame } from '../DialogFrame';
import { connect, disconnect, runThere, useRealTriton } from '../state/realTriton';
import { openDialog } from '../state/view';
import { startCommand } from './client';
import './jupyter.css';

export default function Connect(): React.ReactNode {
  const { phase, address, failure } = useRealTriton();
  const [typed, setTyped] = useState(address);
  const [token, setToken] = useState('');
  const connected = phase === 'ready' || phase === 'running';
  const submit = (event: React.SubmitEvent): void => {
    event.preventDefault();
    void connect(typed, token);
  };
  return (
    <DialogFrame
      title="Run it on real Triton"
      className="real-triton"
      describedBy="real-triton-says"
    >
      <p id="real-triton-says" className="muted">
        Sends this program, unchanged, to your own Jupyter server, on a machine with an NVIDIA GPU,
        PyTorch and Triton. Its output, comparisons and times then stand beside WebGPU’s.
      </p>
      <form onSubmit={submit}>
        <label>
          Address
          <input
            value={typed}
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => setTyped(event.target.value)}
          />
        </label>
        <label>
          Token
          <input
            type="password"
            value={token}
            autoComplete="off"
            placeholder="optional if the URL contains it"
            onChange={(event) => setToken(event.target.value)}
          />
        </label>
        <div className="row">
          {connected ? (
            <>
              <button
                type="button"
                className="button primary"
                onClick={() => {
                  openDialog(null);
                  void runThere();
                }}
              >
                Run there
              </button>
              <button type="button" className="button" onClick={() => void disconnect()}>
                Disconnect
              </button>
              <span className="muted">Connected to {address}</span>
            </>
          ) : (
            <button
              type="submit"
              className="button primary"
              disabled={phase === 'connecting' || typed.trim() === ''}
            >
              {phase === 'connecting' ? 'Connecting…' : 'Connect'}
            </button>
          )}
        </div>
      </form>
      {failure ? (
        <p className="failure" role="alert">
          {failure}
        </p>
      ) : null}
      <details>
        <summary>How to start a compatible server</summary>
        <pre>{startCommand(location.origin)}</pre>
        <p className="muted">
          It prints its address and token. The token is kept only while this page is open. Whoever
          has both can run programs on that machine.
        </p>
      </details>
    </DialogFrame>
  );
}
