package main

import (
	"context"
	"errors"

	"github.com/neuralis-dev/neuralis/build"
)

func watchBuild(ctx context.Context, o *buildOptions, builder build.Interface, dirs []string) error {
	return errors.New("todo")
}
