// What build.mjs takes from the documentation.
declare module 'docs:patterns' {
  const language: {
    /** written forms, and what they mean, with code between backticks */
    words: [string[], string][];
    /** patterns, and what they find */
    examples: [string, string][];
  };
  export default language;
}
