// Package npmci installs a folder's npm packages exactly as its package-lock.json says, once.
//
// Only tests and benchmarks use it, for clients and peers that are not ours: the product itself needs
// neither Node nor npm. A stamp in node_modules holds the hash of the lock file it was made from, so a second run costs
// nothing, and a changed lock file or an install that was cut short is made again.
package npmci

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// stampFile lies in node_modules and holds the hash of the lock file.
const stampFile = ".npmci-lock"

// ErrNoNPM says that this machine has no npm.
var ErrNoNPM = errors.New("npm is not on the path: install Node.js 20 or later (it brings npm) and run this again")

// Install runs `npm ci` in dir, unless node_modules there already comes from its lock file. What npm
// prints goes to out, after a line that names the folder.
func Install(ctx context.Context, dir string, out io.Writer) error {
	hash, err := lockHash(dir)
	if err != nil {
		return err
	}
	stamp := filepath.Join(dir, "node_modules", stampFile)
	if old, err := os.ReadFile(stamp); err == nil && string(old) == hash {
		return nil
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		return ErrNoNPM
	}
	fmt.Fprintf(out, "npm ci in %s\n", dir)
	cmd := exec.CommandContext(ctx, npm, "ci", "--no-audit", "--no-fund", "--loglevel=error")
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, out, out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("npm ci in %s: %w", dir, err)
	}
	if err := os.MkdirAll(filepath.Dir(stamp), 0o755); err != nil { // a lock file may list no packages
		return fmt.Errorf("npm ci in %s: %w", dir, err)
	}
	if err := os.WriteFile(stamp, []byte(hash), 0o644); err != nil {
		return fmt.Errorf("npm ci in %s: %w", dir, err)
	}
	return nil
}

func lockHash(dir string) (string, error) {
	lock, err := os.ReadFile(filepath.Join(dir, "package-lock.json"))
	if err != nil {
		return "", fmt.Errorf("npm ci: %w", err)
	}
	sum := sha256.Sum256(lock)
	return hex.EncodeToString(sum[:]), nil
}
