package manifest

import (
	"strings"
	"testing"
)

func TestSlug(t *testing.T) {
	tests := []struct{ text, want string }{
		{"catalog", "catalog"},
		{"My Catalog!", "my-catalog"},
		{"  --Tool_Box.js--  ", "tool-box-js"},
		{"Café 2", "caf-2"},
		{"目录", ""},
		{"", ""},
		{"CON", "con-package"},
		{strings.Repeat("ab ", 40), strings.Repeat("ab-", 21) + "a"},
	}
	for _, test := range tests {
		t.Run(test.text, func(t *testing.T) {
			got := Slug(test.text)
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if got != "" && !ValidID(got) {
				t.Errorf("%q is no valid id", got)
			}
		})
	}
}

func TestValidNames(t *testing.T) {
	tests := []struct {
		name              string
		id, feature, tool bool
	}{
		{"catalog", true, true, true},
		{"catalog-2", true, true, true},
		{"catalog_list", false, true, true},
		{"Catalog", false, true, true},
		{"catalog.read", false, true, false},
		{"acme.apiKey", false, true, false},
		{"nul", false, true, true},
		{"", false, false, false},
		{".", false, false, false},
		{"..", false, false, false},
		{"a/b", false, false, false},
		{"a b", false, false, false},
		{"a\n", false, false, false},
		{"é", false, false, false},
		{strings.Repeat("a", 64), true, true, true},
		{strings.Repeat("a", 65), false, true, false},
		{strings.Repeat("a", 129), false, false, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if id, feature, tool := ValidID(test.name), ValidFeature(test.name), ValidToolName(test.name); id != test.id || feature != test.feature || tool != test.tool {
				t.Errorf("got %t %t %t", id, feature, tool)
			}
		})
	}
}
