// Package openapi describes the HTTP API of a host, the routes of its packages included, as an OpenAPI 3.1 document.
//
// What it is for: clients and tools that read such documents, and people with a viewer for them. The document is that of
// one caller: it has the packages, tools and routes that this caller is shown, and nothing of others.
//
// What it guarantees: the same catalog and caller give the same bytes. Schemas of tools are there as their authors wrote
// them, but for x-neuralis; they are draft-07, which the document says.
//
// What it leaves out: what routes take and answer, of which a package says nothing but the methods.
//
// Source of the format: the OpenAPI Specification 3.1.0.
package openapi
