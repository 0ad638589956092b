// Texts by their ids, as core/texts/text_file.py reads them: their placeholders are filled in with all
// of the values that are given.
export function textsOf(sources) {
  return (id, values = {}) => {
    const asked = new Set();
    const text = sources[id].replace(/\{\{ (\w+) \}\}/g, (_, name) => {
      asked.add(name);
      if (values[name] === undefined) throw new TypeError(`${id}: not given: ${name}`);
      return values[name];
    });
    const unknown = Object.keys(values).filter((name) => !asked.has(name));
    if (unknown.length) throw new TypeError(`${id}: unknown: ${unknown}`);
    return text;
  };
}
