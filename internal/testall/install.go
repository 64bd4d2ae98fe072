package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/neuralis-dev/neuralis/internal/npmci"
)

// debian is the package system of the machine, as far as tests need it.
type debian interface {
	// Available says whether this machine has apt-get.
	Available() bool
	// Installed says whether a package is there.
	Installed(ctx context.Context, name string) bool
	// Run runs apt-get with these arguments, as root.
	Run(ctx context.Context, args ...string) error
}

// installDebian installs the packages that are missing. Without a missing one it does nothing, so
// a prepared machine needs neither a network nor root.
func installDebian(ctx context.Context, system debian, names []string) error {
	if len(names) == 0 {
		return nil
	}
	if !system.Available() {
		// Other systems bring these programs in their own way; a test that misses one says so.
		fmt.Printf("note: no apt-get here; tests that need %s may be skipped\n", strings.Join(names, ", "))
		return nil
	}
	var missing []string
	for _, name := range names {
		if !system.Installed(ctx, name) {
			missing = append(missing, name)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	heading("apt-get install " + strings.Join(missing, " "))
	// A fresh machine's package lists are empty or old: the install would ask for versions that are gone.
	if err := system.Run(ctx, "update"); err != nil {
		return fmt.Errorf("apt-get update: %w", err)
	}
	args := append([]string{"install", "--yes", "--no-install-recommends"}, missing...)
	if err := system.Run(ctx, args...); err != nil {
		return fmt.Errorf("apt-get install %s: %w", strings.Join(missing, " "), err)
	}
	return nil
}

// systemDebian is the real one.
type systemDebian struct{ root string }

func (systemDebian) Available() bool {
	_, err := exec.LookPath("apt-get")
	return runtime.GOOS == "linux" && err == nil
}

func (s systemDebian) Installed(ctx context.Context, name string) bool {
	out, err := exec.CommandContext(ctx, "dpkg-query", "--show", "--showformat=${db:Status-Status}", name).Output()
	return err == nil && string(out) == "installed"
}

func (s systemDebian) Run(ctx context.Context, args ...string) error {
	words := append([]string{"apt-get"}, args...)
	if os.Geteuid() != 0 {
		words = append([]string{"sudo", "-n"}, words...)
	}
	cmd := command(ctx, s.root, words[0], words[1:]...)
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
	return cmd.Run()
}

// compilerNeeds names what the race detector wants: it is linked with a C compiler.
func compilerNeeds(ctx context.Context, root string) []string {
	if raceDetectorAvailable(ctx, root) {
		return nil
	}
	return []string{"gcc", "libc6-dev"}
}

// raceDetectorAvailable says whether `go test -race` can link.
func raceDetectorAvailable(ctx context.Context, root string) bool {
	cmd := exec.CommandContext(ctx, "go", "env", "CC")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		return false
	}
	words := strings.Fields(string(out))
	if len(words) == 0 {
		return false
	}
	_, err = exec.LookPath(words[0])
	return err == nil
}

// installNPM brings the npm packages of each folder to what its lock file says.
func installNPM(ctx context.Context, root string, folders []string) error {
	for _, folder := range folders {
		if err := npmci.Install(ctx, filepath.Join(root, folder), os.Stdout); err != nil {
			return err
		}
	}
	return nil
}

// command is a child process that writes to our own streams and has no input.
func command(ctx context.Context, dir, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd
}
