// Package extismjs makes a plug-in of a JavaScript module with extism-js, the compiler of Extism's
// js-pdk project, where a user has it installed.
//
// That compiler is a program of its own: `extism-js module.js -i interface.d.ts -o plugin.wasm`. It
// evaluates a CommonJS module in its own engine and exports the functions that the interface
// file names; it needs binaryen's wasm-merge and wasm-opt beside it. This package looks the program
// up in the PATH it is given, never in the process's own environment, runs it in a folder that it
// makes and removes, and returns the plug-in's bytes, or what the program had to say.
//
// The module it is given is build/bundle's for TargetExtismJS.
package extismjs
