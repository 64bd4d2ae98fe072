package config_test

import (
	"fmt"

	"github.com/neuralis-dev/neuralis/host/config"
)

// A mistake anywhere in the config leaves no config, and says where it is.
func ExampleParse() {
	source := []byte(`{
  "roles": { "member": {} },
  "users": [{ "id": "ada", "role": "owner" }]
}`)
	c, diagnostics := config.Parse(config.File, source, "/srv/shop")
	fmt.Println(c == nil)
	for _, d := range diagnostics {
		fmt.Println(d.Error())
		fmt.Println(d.Hint)
	}
	// Output:
	// true
	// neuralis.host.json:3:36: users[0].role: there is no role "owner"
	// add it to "roles", or use one of member
}
