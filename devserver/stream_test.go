package devserver

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
)

// stream is a reader of server-sent events.
type stream struct {
	testing.TB
	lines  *bufio.Scanner
	cancel context.CancelFunc
}

func listen(t testing.TB, url string, header ...string) *stream {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { response.Body.Close() })
	if response.StatusCode != 200 || response.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("got %s, %s", response.Status, response.Header.Get("Content-Type"))
	}
	return &stream{t, bufio.NewScanner(response.Body), cancel}
}

// next is the next event. Its id and name on the wire are those that are in it.
func (s *stream) next() Event {
	s.Helper()
	fields := map[string]string{}
	for s.lines.Scan() {
		line := s.lines.Text()
		if line == "" {
			if fields["data"] == "" {
				clear(fields)
				continue
			}
			var event Event
			if err := json.Unmarshal([]byte(fields["data"]), &event); err != nil {
				s.Fatalf("%v: %s", err, fields["data"])
			}
			if fields["id"] != fmt.Sprint(event.ID) || fields["event"] != string(event.Kind) {
				s.Errorf("%v is on the wire as %v", event, fields)
			}
			return event
		}
		name, value, _ := strings.Cut(line, ": ")
		fields[name] = value
	}
	s.Fatalf("the stream has ended: %v", s.lines.Err())
	return Event{}
}

func TestStream(t *testing.T) {
	events := NewEvents(nil)
	web := httptest.NewServer(events)
	defer web.Close()
	defer web.CloseClientConnections()
	say := func(text string) { events.Emit(Event{Kind: KindNotice, Message: text}) }

	say("one")
	s := listen(t, web.URL)
	say("two\nlines")
	if got := s.next(); got.Message != "two\nlines" || got.ID != 2 {
		t.Errorf("the first event of a new reader is %+v", got)
	}
	s.cancel()
	say("three")
	say("four")
	// What was missed comes first.
	for _, again := range []*stream{listen(t, web.URL, "Last-Event-ID", "2"), listen(t, web.URL+"?after=2"), listen(t, web.URL+"?after=0", "Last-Event-ID", "2")} {
		if a, b := again.next(), again.next(); a.Message != "three" || b.Message != "four" {
			t.Errorf("after the second, %q and %q come", a.Message, b.Message)
		}
	}
	say("five")
	all := listen(t, web.URL+"?after=0")
	for i, want := range []string{"one", "two\nlines", "three", "four", "five"} {
		if got := all.next(); got.Message != want || got.ID != uint64(i+1) {
			t.Errorf("the event %d is %+v", i+1, got)
		}
	}
	for _, bad := range []string{"x", "-1", "1e3", "99999999999999999999"} {
		response, err := http.Get(web.URL + "?after=" + bad)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != http.StatusBadRequest {
			t.Errorf("after=%s: %s", bad, response.Status)
		}
	}
}

// Of more events than are kept, the latest are, and a reader who does not read keeps nobody waiting.
func TestSlowReader(t *testing.T) {
	events := NewEvents(nil)
	_, next, stop := events.Subscribe(0)
	for range 3 * keptEvents {
		events.Emit(Event{Kind: KindNotice})
	}
	missed, _, stopOther := events.Subscribe(0)
	stopOther()
	if len(missed) != keptEvents || missed[len(missed)-1].ID != 3*keptEvents || missed[0].ID != 2*keptEvents+1 {
		t.Errorf("%d events are kept, from %d on", len(missed), missed[0].ID)
	}
	if got := len(next); got != waiting {
		t.Errorf("%d events wait for a reader", got)
	}
	stop()
	stop()
}

// A reader who goes leaves nothing behind, and one who stays is told that the stream lives.
func TestReaderGoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		events := NewEvents(nil)
		ctx, cancel := context.WithCancel(t.Context())
		w := httptest.NewRecorder()
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			events.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, PathEvents, nil))
		}()
		synctest.Wait()
		if len(events.readers) != 1 {
			t.Fatalf("there are %d readers", len(events.readers))
		}
		timer, stop := context.WithTimeout(t.Context(), 3*heartbeat+heartbeat/2)
		defer stop()
		<-timer.Done()
		synctest.Wait()
		cancel()
		<-ended
		if got := strings.Count(w.Body.String(), ": \n\n"); got != 3 {
			t.Errorf("the stream says %d times that it lives: %q", got, w.Body)
		}
		if len(events.readers) != 0 {
			t.Errorf("%d readers are left", len(events.readers))
		}
	})
}
