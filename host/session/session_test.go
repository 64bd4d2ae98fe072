package session

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/neuralis-dev/neuralis/host/trust"
)

func TestZero(t *testing.T) {
	if !(Session{}).IsZero() {
		t.Error("nobody is somebody")
	}
	value := reflect.ValueOf(&Session{}).Elem()
	for i := range value.NumField() {
		s := Session{}
		field := reflect.ValueOf(&s).Elem().Field(i)
		if field.Kind() == reflect.Slice {
			field.Set(reflect.ValueOf([]string{"a"}))
		} else {
			field.SetString("a")
		}
		if s.IsZero() {
			t.Errorf("somebody with %s is nobody", value.Type().Field(i).Name)
		}
	}
}

func TestHas(t *testing.T) {
	s := Session{Features: []string{"catalog.read"}}
	for feature, want := range map[string]bool{"": true, "catalog.read": true, "catalog.Read": false, "catalog": false, "*": false} {
		if s.Has(feature) != want {
			t.Errorf("has %q: %t", feature, !want)
		}
	}
	if (Session{Features: []string{"*"}}).Has("catalog.read") {
		t.Error("a pattern is taken for a feature")
	}
}

func TestWithLeavesTheOriginal(t *testing.T) {
	features := make([]string, 1, 8)
	features[0] = "b"
	s := Session{UserID: "ada", Features: features}
	got := s.With("c", "a", "b")
	if want := []string{"a", "b", "c"}; !slices.Equal(got.Features, want) || got.UserID != "ada" {
		t.Errorf("got %+v", got)
	}
	if !slices.Equal(s.Features, []string{"b"}) || !slices.Equal(features[:3], []string{"b", "", ""}) {
		t.Errorf("the original is %+v, its memory %q", s, features[:3])
	}
}

func ExampleSession() {
	s := Session{UserID: "ada", Role: "member", CallerID: "shop", CallerTrust: trust.Trusted}.With("catalog.read")
	text, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(text))
	fmt.Println(s.Has("catalog.read"), s.Has("catalog.write"))
	// Output:
	// {"userId":"ada","callerId":"shop","callerTrust":"trusted","role":"member","features":["catalog.read"]}
	// true false
}
