/** A text as the label of a pick, in which `$(name)` would become an icon. */
export function plainLabel(text: string): string {
  return text.replaceAll('$(', '\\$(');
}
