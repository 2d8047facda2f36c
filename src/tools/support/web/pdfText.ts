/** The text of a PDF, page by page. */
export interface PdfText {
  pages: string[];
}

/** Reads a PDF's text. Throws an Error in plain words where it is damaged or needs a password. */
export async function pdfText(bytes: Uint8Array): Promise<PdfText> {
  const { extractText, getDocumentProxy } = await import('unpdf');
  try {
    const document = await getDocumentProxy(bytes, { verbosity: 0 });
    const { text } = await extractText(document, { mergePages: false });
    return { pages: text };
  } catch (cause) {
    const reason = cause instanceof Error ? cause : new Error(String(cause));
    if (reason.name === 'PasswordException') throw new Error('the PDF is protected by a password', { cause });
    throw new Error(`the PDF is damaged (${reason.message})`, { cause });
  }
}
