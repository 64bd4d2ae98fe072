package suggest

import "testing"

func TestClosest(t *testing.T) {
	commands := []string{"build", "call", "inspect", "new", "schema", "version"}
	for _, test := range []struct {
		name, word, want string
	}{
		{"swapped letters", "biuld", "build"},
		{"missing letter", "inspct", "inspect"},
		{"other case", "BUILD", "build"},
		{"a beginning", "ins", "inspect"},
		{"one letter of a short word", "nee", "new"},
		{"nothing near", "deploy", ""},
		{"empty", "", ""},
		{"exact", "call", "call"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, ok := Closest(test.word, commands)
			if got != test.want || ok != (test.want != "") {
				t.Errorf("Closest(%q) = %q, %v; want %q", test.word, got, ok, test.want)
			}
		})
	}
	if got, ok := Closest("x", nil); ok {
		t.Errorf("with no candidates: %q", got)
	}
}
