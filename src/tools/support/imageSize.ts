/** An image's size in pixels by its first bytes; undefined where they do not tell. PNG, GIF, WebP and JPEG. */
export function imageSizeOf(start: Uint8Array): { width: number; height: number } | undefined {
  const view = new DataView(start.buffer, start.byteOffset, start.byteLength);
  try {
    switch (start[0]) {
      case 0x89:
        return { width: view.getUint32(16), height: view.getUint32(20) };
      case 0x47:
        return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
      case 0x52:
        return webpSize(view);
      case 0xff:
        return jpegSize(view);
      default:
        return undefined;
    }
  } catch (cause) {
    // The size stands behind the bytes that are there.
    if (cause instanceof RangeError) return undefined;
    throw cause;
  }
}

/** The three forms of WebP: lossy, lossless, extended. */
function webpSize(view: DataView): { width: number; height: number } | undefined {
  const three = (at: number) => view.getUint16(at, true) + (view.getUint8(at + 2) << 16);
  switch (view.getUint8(15)) {
    case 0x20:
      return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
    case 0x4c: {
      const bits = view.getUint32(21, true);
      return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
    }
    case 0x58:
      return { width: three(24) + 1, height: three(27) + 1 };
    default:
      return undefined;
  }
}

/** The frame's header, which comes after any number of other segments. */
function jpegSize(view: DataView): { width: number; height: number } | undefined {
  let at = 2;
  while (view.getUint8(at) === 0xff) {
    const marker = view.getUint8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    at += marker === 0xff ? 1 : 2 + view.getUint16(at + 2);
  }
  return undefined;
}
