// How a Web API class says what structuredClone does with its objects, without the two
// modules knowing each other: a method under this symbol on its prototype. It answers the
// clone; for a class that cannot be cloned, a value that is no function stands there.

/** The key of that method. */
export const cloneHook: unique symbol = /* @__PURE__ */ Symbol('structured clone');
