/** Characters of facts that one answer can bring into history.jsonl. */
const MAX_FACTS = 8_000;
/** Characters of one summary. */
const MAX_SUMMARY = 12_000;

/** What a model's answer brought. A product that is not there is undefined; facts are empty where it said that there are none. */
export interface SummaryProducts {
  facts?: string;
  summary?: string;
}

type Product = keyof SummaryProducts;

const NAMES: Record<Product, string> = {
  facts: 'facts|history|事实|要点',
  summary: '(?:working[ -])?summary|工作摘要|摘要|总结',
};

/**
 * Reads the two products out of an answer, in the form that was asked for or in what models make of it: tags in any case, without their end, in
 * a code fence, or headings in their place. Never throws; prose without either is no answer.
 */
export function readProducts(answer: string): SummaryProducts {
  const text = withoutThoughts(answer).replaceAll('\r\n', '\n');
  const facts = section(text, 'facts');
  const summary = section(text, 'summary');
  const list = facts === undefined ? undefined : factLines(facts);
  const words = summary === undefined ? '' : cleaned(summary).slice(0, MAX_SUMMARY).trim();
  return {
    ...(list === undefined ? {} : { facts: list }),
    ...(words === '' || saysNothing(words) ? {} : { summary: words }),
  };
}

/** The facts as lines of a list, quotations kept as such, without repetitions, at most 8,000 characters. */
function factLines(text: string): string {
  const lines: string[] = [];
  let length = 0;
  for (const raw of cleaned(text).split('\n')) {
    const line = raw.trim();
    if (line === '' || saysNothing(line) || /^#+\s/.test(line)) continue;
    const bare = line.replace(/^(?:[-*•]|\d+[.)])\s+/, '');
    // A line of a list that was wrapped goes on with the one before.
    if (bare === line && /^\s{2,}/.test(raw) && lines.length > 0) {
      lines.push(`${lines.pop() ?? ''} ${line}`);
      continue;
    }
    const entry = bare.startsWith('>') ? bare : `- ${bare}`;
    if (saysNothing(bare) || lines.includes(entry)) continue;
    length += entry.length + 1;
    if (length > MAX_FACTS) break;
    lines.push(entry);
  }
  return lines.join('\n');
}

/** What stands between the tags of a product; else what follows its heading, up to the heading of the other. */
function section(text: string, product: Product): string | undefined {
  const name = NAMES[product];
  const any = Object.values(NAMES).join('|');
  const tagged = new RegExp(`<(?:${name})>([\\s\\S]*?)(?:</(?:${name})>|<(?:${any})>|$)`, 'i').exec(text);
  if (tagged) return tagged[1] ?? '';
  const heading = new RegExp(
    `^(?:#{1,6}\\s*|\\*\\*)(?:(${name})|${any})(?:\\s*:)?(?:\\*\\*)?(?:\\s*[:：])?(?:\\s+(.*))?$`,
    'i',
  );
  let found: string[] | undefined;
  let isInside = false;
  for (const line of text.split('\n')) {
    const match = heading.exec(line.trim());
    if (match) isInside = match[1] !== undefined;
    if (match && isInside) found = [...(found ?? []), match[2] ?? ''];
    else if (isInside) found?.push(line);
  }
  return found?.join('\n');
}

/** Without a code fence around the whole, and without blank lines at its ends. */
function cleaned(text: string): string {
  const trimmed = text.trim();
  const fenced = /^```[\w-]*\n([\s\S]*?)\n?```$/.exec(trimmed);
  return (fenced?.[1] ?? trimmed).trim();
}

/** Some models think aloud before they answer; what they consider there is no product. */
function withoutThoughts(text: string): string {
  return text.replace(/<think(?:ing)?>[\s\S]*?<\/think(?:ing)?>/gi, '');
}

/** "None", "(nothing new)", "无": said in place of a list. */
function saysNothing(line: string): boolean {
  return /^[(（[]?\s*(?:-\s*)?(?:none|nothing(?: new| to note| noteworthy)?|no (?:new )?facts|n\/a|empty|无|没有|暂无)\s*[.。]?\s*[)）\]]?$/i.test(
    line,
  );
}
