//go:build !linux

package main

// useHugePages does nothing where it is not known what it would bring.
func useHugePages() {}
