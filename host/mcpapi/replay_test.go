package mcpapi

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// kept is what would be sent again after an index.
func kept(r *replay, client, stream string, index int) string {
	var all []string
	for data, err := range r.After(context.Background(), client, stream, index) {
		if err != nil {
			return err.Error()
		}
		all = append(all, fmt.Sprintf("%.3s", data))
	}
	return strings.Join(all, " ")
}

func TestReplay(t *testing.T) {
	ctx := context.Background()
	r := newReplay()
	add := func(client, stream, text string, size int) {
		t.Helper()
		if err := r.Append(ctx, client, stream, append([]byte(text), make([]byte, size)...)); err != nil {
			t.Fatal(err)
		}
	}
	want := func(client, stream string, index int, want string) {
		t.Helper()
		if got := kept(r, client, stream, index); got != want {
			t.Errorf("%s/%s after %d: got %q, want %q", client, stream, index, got, want)
		}
	}
	for _, stream := range []string{"", "1", "2"} {
		if err := r.Open(ctx, "a", stream); err != nil {
			t.Fatal(err)
		}
	}
	add("a", "1", "1.0", 0)
	add("a", "1", "1.1", 0)
	add("a", "", "s.0", 0)
	want("a", "1", -1, "1.0 1.1")
	want("a", "1", 0, "1.1")
	want("a", "1", 1, "")
	want("a", "none", 0, "data purged")
	want("b", "1", 0, "data purged")

	// The oldest stream gives way first, and the one that is always there last.
	add("a", "2", "2.0", replayPerClient-8)
	want("a", "1", -1, "data purged")
	want("a", "", -1, "s.0")
	want("a", "2", -1, "2.0")
	add("a", "2", "2.1", 100)
	want("a", "", -1, "data purged")
	want("a", "2", -1, "data purged")
	want("a", "2", 0, "2.1")
	add("a", "2", "2.2", 2*replayPerClient) // larger than all there may be
	want("a", "2", 1, "data purged")
	want("a", "2", 2, "")

	// A stream that was given up and goes on is not gone on with from a place that nobody knows.
	add("a", "1", "1.2", 0)
	want("a", "1", 0, "data purged")

	for i := range 2 * replayStreams {
		if err := r.Open(ctx, "b", fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
		add("b", fmt.Sprint(i), "x", 1000)
	}
	if n := len(r.clients["b"].streams); n != replayStreams {
		t.Errorf("%d streams are kept", n)
	}
	for _, client := range []string{"a", "b", "c"} {
		if err := r.SessionClosed(ctx, client); err != nil {
			t.Fatal(err)
		}
	}
	if r.bytes != 0 || len(r.clients) != 0 {
		t.Errorf("%d bytes of %d clients are left", r.bytes, len(r.clients))
	}
}

func TestReplayIsBoundedInAll(t *testing.T) {
	r := newReplay()
	for i := range 3 * replayTotal / replayPerClient {
		for range 4 {
			if err := r.Append(context.Background(), fmt.Sprint(i), "", make([]byte, replayPerClient/4)); err != nil {
				t.Fatal(err)
			}
		}
		if r.bytes > replayTotal {
			t.Fatalf("%d bytes after %d clients", r.bytes, i)
		}
	}
}
