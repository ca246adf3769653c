/** One part of the page that cannot be drawn does not take the others with it. */
import { Component } from 'react';
import { retryLoads } from './lazyView';

interface Props {
  readonly name: string;
  /** Key of the content: with another one the failure of the last is over. */
  readonly of?: string;
  /** Place of the message; as an empty panel where absent. */
  readonly frame?: (message: React.ReactNode) => React.ReactNode;
  readonly children: React.ReactNode;
}
interface State {
  readonly failure: unknown;
  readonly of: string | undefined;
}
export class Boundary extends Component<Props, State> {
  override state: State = { failure: null, of: this.props.of };

  static getDerivedStateFromError(failure: unknown): Pick<State, 'failure'> {
    return { failure: failure ?? new Error('unknown') };
  }

  static getDerivedStateFromProps({ of }: Props, state: State): State | null {
    return of === state.of ? null : { failure: null, of };
  }

  override render(): React.ReactNode {
    const { failure } = this.state;
    const { name, frame, children } = this.props;
    if (failure === null) return children;
    const retry = (): void => {
      retryLoads();
      this.setState({ failure: null });
    };
    if (frame) return frame(<Message name={name} failure={failure} retry={retry} />);
    return (
      <div className="empty" role="alert">
        <h3>{name} could not be drawn</h3>
        <p>
          This is a fault of the page, not of your program; your text is kept. It said:{' '}
          <code>{messageOf(failure)}</code>
        </p>
        <button type="button" className="button" onClick={retry}>
          Try again
        </button>
      </div>
    );
  }
}

/** One line, for bars and dialogs. */
function Message(props: {
  readonly name: string;
  readonly failure: unknown;
  readonly retry: () => void;
}): React.ReactNode {
  return (
    <div className="notice fail" role="alert">
      <span className="grow">
        {props.name} could not be drawn; your text is kept. The page said:{' '}
        <code>{messageOf(props.failure)}</code>
      </span>
      <button type="button" className="button small" onClick={props.retry}>
        Try again
      </button>
    </div>
  );
}

export function messageOf(failure: unknown): string {
  return failure instanceof Error ? failure.message : String(failure);
}
