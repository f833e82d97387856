// In: names and texts. Out: the browser keeps them; where it blocks data of sites or has no room for more, this window does.

interface Kept {
  get(name: string): string | null;
  set(name: string, text: string): void;
}

/** `storage` gives the browser's own one, or throws. */
function kept(storage: () => Storage): Kept {
  const here = new Map<string, string>();
  return {
    get: name => {
      try {
        return here.get(name) ?? storage().getItem(name);
      } catch {
        return null;
      }
    },
    set: (name, text) => {
      try {
        storage().setItem(name, text);
        here.delete(name);
      } catch {
        here.set(name, text);
      }
    },
  };
}

/** For all windows, until it is removed. */
export const ofBrowser = kept(() => localStorage);
/** For this window, as long as it is open. */
export const ofWindow = kept(() => sessionStorage);
