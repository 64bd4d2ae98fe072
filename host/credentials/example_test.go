package credentials_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/neuralis-dev/neuralis/host/credentials"
	"github.com/neuralis-dev/neuralis/host/session"
	"github.com/neuralis-dev/neuralis/manifest"
)

func Example() {
	globalDir, err := os.MkdirTemp("", "credentials")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(globalDir)
	store, err := credentials.Open(credentials.Options{
		Dir:     filepath.Join(globalDir, "credentials"),
		KeyFile: filepath.Join(globalDir, "credentials.key"),
		OnFault: func(ref credentials.Ref, err error) { fmt.Println(ref, err) },
	})
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	for ref, value := range map[credentials.Ref]string{
		{Scope: credentials.ScopeGlobal, ID: "acme.apiKey"}:             "everybody's",
		{Scope: credentials.ScopeUser, Owner: "ada", ID: "acme.apiKey"}: "ada's",
	} {
		if err := store.Set(ctx, ref, credentials.NewSecret(value)); err != nil {
			panic(err)
		}
	}
	catalog := store.For("catalog", []manifest.Credential{{ID: "acme.apiKey"}})
	for _, user := range []string{"ada", "bob"} {
		secret, ok := catalog.Resolve(session.Session{UserID: user}, "acme.apiKey")
		fmt.Println(user, secret, secret.Reveal(), ok)
	}
	_, ok := catalog.Resolve(session.Session{}, "acme.password")
	fmt.Println(ok)
	// Output:
	// ada [secret] ada's true
	// bob [secret] everybody's true
	// false
}
