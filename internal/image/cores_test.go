package image

import (
	"strings"
	"testing"
)

func TestTrusted(t *testing.T) {
	for _, stranger := range []string{"", "#", "x", CoreHash([]byte("x"))} {
		if Trusted(stranger) {
			t.Errorf("%q is trusted", stranger)
		}
	}
	lines := strings.Split(strings.TrimSpace(cores), "\n")
	last, _, _ := strings.Cut(lines[len(lines)-1], " ")
	if len(last) != 64 || !Trusted(last) {
		t.Errorf("the last line of cores.txt is not the hash of a core: %q", last)
	}
}
