package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/neuralis-dev/neuralis/internal/terminal"
)

func main() {
	os.Exit(program(os.Args[1:]))
}

// program runs one command line on the process's own streams and returns the
// exit code. The first interrupt cancels the context, so that verbs can end in
// order; a second one kills the process as usual.
func program(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	return execute(ctx, args, terminal.System())
}
