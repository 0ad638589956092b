// Before a page's own scripts: notes which fields of what its stages are told are read, by the names that
// tests/document_schema.py gives them, and which are read that no description has. A copy of an object is
// no reading of what is in it.
(schema) => {
  const [read, unknown] = [new Set(), new Set()];
  Object.assign(globalThis, { fieldsRead: () => [...read], unknownRead: () => [...unknown] });
  const followed = (node, name) => {
    if (node.$ref) {
      const way = node.$ref.split("/").slice(2);
      return followed(way.reduce((part, key) => part[key], schema.$defs), way.filter((part) => part !== "properties").join("."));
    }
    return node.anyOf?.at(-1).type === "null" ? followed(node.anyOf[0], name) : [node, name];
  };
  const known = new WeakMap();
  const proxies = new WeakSet(), names = new WeakMap();
  const watched = (value, start, called) => {
    if (!value || typeof value !== "object") return value;
    const [node, name] = followed(start, called), { properties, additionalProperties: others, prefixItems = [], items } = node;
    if (!properties && !others && !items && !prefixItems.length) return value;
    if (known.has(value)) return known.get(value);
    let copied = null;
    const partOf = (key) => {
      if (Array.isArray(value)) return /^\d+$/.test(key) ? [prefixItems[key] || items, name] : null;
      if (properties?.[key]) return [properties[key], `${name}.${key}`.replace(/^\./, "")];
      return others ? [others, name] : null;
    };
    const note = (key) => {
      if (!properties || typeof key !== "string" || key in Object.prototype || ["toJSON", "then"].includes(key)) return;
      (properties[key] ? read : unknown).add(`${name}.${key}`.replace(/^\./, ""));
    };
    const proxy = new Proxy(value, {
      get(target, key) {
        if (copied === key) copied = null;
        else note(key);
        const part = typeof key === "string" && Object.hasOwn(target, key) && partOf(key);
        return part?.[0] ? watched(target[key], ...part) : target[key];
      },
      has(target, key) {
        note(key);
        return key in target;
      },
      getOwnPropertyDescriptor(target, key) {
        copied = key;
        return Object.getOwnPropertyDescriptor(target, key);
      },
    });
    proxies.add(proxy);
    names.set(proxy, [name, properties]);
    known.set(value, proxy);
    return proxy;
  };
  const { parse } = JSON, { assign } = Object;
  JSON.parse = (...given) => {
    const made = parse(...given);
    return made?.stage && made.news ? { ...made, news: watched(made.news, schema, "") } : made;
  };
  const owner = (made, [name, properties]) => new Proxy(made, {
    get(target, key) {
      const isOwn = typeof key !== "string" || key in target || key === "toJSON";
      if (!isOwn) (properties[key] ? read : unknown).add(`${name}.${key}`);
      return target[key];
    },
  });
  // What takes over the parts of an object reads them where it uses them; it has those and its own.
  Object.assign = (target, ...sources) => {
    const isCopy = names.get(sources[0])?.[0] && proxies.has(sources[0]) && !Object.keys(target).length && Object.getPrototypeOf(target) === Object.prototype;
    const made = sources.reduce(assigned, target);
    return isCopy ? owner(made, names.get(sources[0])) : made;
  };
  const assigned = (made, source) => {
    if (!proxies.has(source)) return assign(made, source);
    Reflect.ownKeys(source).forEach((key) => Object.defineProperty(made, key, {
      configurable: true, enumerable: true, get: () => source[key],
      set: (value) => Object.defineProperty(made, key, { configurable: true, enumerable: true, writable: true, value }),
    }));
    return made;
  };
}
