export function Layout(): React.ReactNode {
  return null;
}
