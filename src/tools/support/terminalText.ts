const ESC = String.fromCharCode(0x1b);
const BEL = String.fromCharCode(0x07);

/**
 * Output of a program as plain text: escape sequences and control characters gone, CRLF as LF, and of a line that was drawn over and over with
 * carriage returns (a progress bar) only what stood there last. Linear in the text's length, whatever it holds.
 */
export function plainText(text: string): string {
  return text
    .replace(escapes(), '')
    .split('\n')
    .map(lastDrawn)
    .join('\n')
    .replace(/[^\P{Cc}\n\t]/gu, '');
}

/** The last `count` lines that are not empty, each at most 200 characters. */
export function tailLines(text: string, count: number): string {
  const lines = plainText(text)
    .split('\n')
    .filter((line) => line.trim() !== '');
  return lines
    .slice(-count)
    .map((line) => (line.length > 200 ? `${line.slice(0, 199)}…` : line))
    .join('\n');
}

/** CSI, OSC, the string sequences and two-character ones; one that is cut off at the end of the text counts too. */
function escapes(): RegExp {
  const csi = `${ESC}\\[[0-?]*[ -/]*(?:[@-~]|$)`;
  const osc = `${ESC}\\][^${BEL}${ESC}]*(?:${BEL}|${ESC}\\\\|$)`;
  const strings = `${ESC}[PX^_][^${ESC}]*(?:${ESC}\\\\|$)`;
  const short = `${ESC}[ -/]*[0-~]`;
  return new RegExp(`${csi}|${osc}|${strings}|${short}`, 'g');
}

function lastDrawn(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === '\r') end--;
  const drawn = line.slice(0, end);
  return drawn.slice(drawn.lastIndexOf('\r') + 1);
}
