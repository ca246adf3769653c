/** One entry of a list of facts: a name and what holds. */
export function Fact(props: {
  readonly name: string;
  readonly bad?: boolean;
  readonly title?: string;
  readonly children: React.ReactNode;
}): React.ReactNode {
  return (
    <div>
      <dt>{props.name}</dt>
      <dd className={props.bad ? 'sign fail' : undefined} title={props.title}>
        {props.children}
      </dd>
    </div>
  );
}
