package manifest

// RouteTable is the list of routes that a build leaves in dist/routes.json.
type RouteTable struct {
	// Version is the version of the format.
	Version int `json:"version"`
	// Routes are the routes of the package.
	Routes []Route `json:"routes"`
}

// Route is one route file of a package.
type Route struct {
	// Pattern is the path below the package, such as catalog/:id.
	Pattern string `json:"pattern"`
	// Methods are the HTTP methods the file handles, in upper case.
	Methods []string `json:"methods"`
	// Feature is the permission a caller needs; empty for none.
	Feature string `json:"feature,omitempty"`
	// Source is the file that exports the handlers, such as src/routes/catalog.ts.
	Source string `json:"source"`
}
