package acceptance

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"sort"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// exchange is a request of a script, and its answer when done is closed.
type exchange struct {
	done   chan struct{}
	status string
	header http.Header
	body   []byte
	err    error
}

// exchanges are the requests that a script did not wait for, by their names.
type exchanges map[string]*exchange

type exchangesKey struct{}

// answered reports whether all are.
func (all exchanges) answered() bool {
	for _, e := range all {
		select {
		case <-e.done:
		default:
			return false
		}
	}
	return true
}

// httpCommand sends a request and keeps the answer in the files status, headers and body. With a last word such as
// &slow, it does not wait for the answer: "answer slow" does.
func httpCommand(ts *testscript.TestScript, neg bool, args []string) {
	var header [][2]string
	var plain []string
	background := ""
	for i := 0; i < len(args); i++ {
		switch {
		case args[i] == "-H" && i+1 < len(args):
			i++
			name, value, _ := strings.Cut(args[i], ":")
			header = append(header, [2]string{strings.TrimSpace(name), strings.TrimSpace(value)})
		case i == len(args)-1 && strings.HasPrefix(args[i], "&"):
			background = args[i][1:]
		default:
			plain = append(plain, args[i])
		}
	}
	if len(plain) < 2 || len(plain) > 3 {
		ts.Fatalf(`usage: [!] http METHOD URL [-H "Name: value"]… [BODY|@FILE] [&NAME]`)
	}
	body := ""
	if len(plain) == 3 {
		body = plain[2]
		if file, ok := strings.CutPrefix(body, "@"); ok {
			body = ts.ReadFile(file)
		}
	}
	request, err := http.NewRequest(plain[0], plain[1], strings.NewReader(body))
	ts.Check(err)
	for _, h := range header {
		if strings.EqualFold(h[0], "Host") {
			request.Host = h[1]
			continue
		}
		request.Header.Add(h[0], h[1])
	}
	e := &exchange{done: make(chan struct{})}
	go e.run(request)
	if background != "" {
		ts.Value(exchangesKey{}).(exchanges)[background] = e
		return
	}
	e.keep(ts, neg)
}

// answer waits for the answer to a request that was not waited for.
func answer(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: [!] answer NAME")
	}
	e := ts.Value(exchangesKey{}).(exchanges)[args[0]]
	if e == nil {
		ts.Fatalf("there is no request %q", args[0])
	}
	e.keep(ts, neg)
}

func (e *exchange) run(request *http.Request) {
	defer close(e.done)
	// A connection of its own: one that is kept would be in the way of a server that ends.
	client := &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	response, err := client.Do(request)
	if err != nil {
		e.err = err
		return
	}
	defer response.Body.Close()
	e.status, e.header = fmt.Sprint(response.StatusCode), response.Header
	e.body, e.err = io.ReadAll(response.Body)
}

// keep waits for the answer and writes it to files. neg wants that there is none.
func (e *exchange) keep(ts *testscript.TestScript, neg bool) {
	<-e.done
	if neg {
		if e.err == nil {
			ts.Fatalf("there is an answer: %s\n%s", e.status, e.body)
		}
		return
	}
	ts.Check(e.err)
	var headers bytes.Buffer
	names := make([]string, 0, len(e.header))
	for name := range e.header {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		for _, value := range e.header[name] {
			fmt.Fprintf(&headers, "%s: %s\n", strings.ToLower(name), value)
		}
	}
	ts.Check(os.WriteFile(ts.MkAbs("status"), []byte(e.status+"\n"), 0o644))
	ts.Check(os.WriteFile(ts.MkAbs("headers"), headers.Bytes(), 0o644))
	ts.Check(os.WriteFile(ts.MkAbs("body"), e.body, 0o644))
	ts.Logf("[answer]\n%s\n%s%s", e.status, headers.Bytes(), e.body)
}
