package image

import (
	"encoding/hex"
	"strings"
	"testing"
)

func TestCores(t *testing.T) {
	lines := 0
	for line := range strings.Lines(cores) {
		if !strings.HasPrefix(line, "#") && strings.TrimSpace(line) != "" {
			lines++
		}
	}
	all := Cores()
	if len(all) == 0 || len(all) != lines {
		t.Errorf("%d cores in %d lines", len(all), lines)
	}
	for _, c := range all {
		if b, err := hex.DecodeString(c.Hash); err != nil || len(b) != 32 || c.Interrupt == 0 || c.Interrupt%4 != 0 {
			t.Errorf("%+v", c)
		}
	}
}
