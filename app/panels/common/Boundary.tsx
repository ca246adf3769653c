/** One failing panel must not take the page with it. */
import { Component } from 'react';

interface Props {
  readonly name: string;
  readonly children: React.ReactNode;
}
export class Boundary extends Component<Props, { readonly failure: Error | null }> {
  override state = { failure: null };

  static getDerivedStateFromError(failure: Error): { failure: Error } {
    return { failure };
  }

  override render(): React.ReactNode {
    const failure: Error | null = this.state.failure;
    if (!failure) return this.props.children;
    return (
      <div className="empty" role="alert">
        <h3>{this.props.name} could not be drawn</h3>
        <p>
          This is a fault of the page, not of your program; your text is kept. It said:{' '}
          <code>{(failure as Error).message}</code>
        </p>
        <button type="button" className="button" onClick={() => this.setState({ failure: null })}>
          Try again
        </button>
      </div>
    );
  }
}
