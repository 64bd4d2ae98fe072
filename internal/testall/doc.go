// Command testall is the one command that passes all tests:
//
//	go run ./internal/testall
//
// It first brings in what the tests need beyond Go, then runs them:
//
//  1. Debian packages. A folder whose tests need a program from the system has a file testneeds.txt
//     that names the Debian packages, one a line ("chromium # the dashboard's tests"). The race detector needs a C
//     compiler. What is missing is installed with apt-get, after apt-get update.
//  2. npm packages. Tests drive the product with clients that are not ours, from npm. Every folder with
//     a package-lock.json gets `npm ci`, unless its node_modules already comes from that very lock file. The
//     benchmarks' peers (bench/) are large and install themselves when a benchmark runs.
//  3. `go build ./...`, so that a compile error reads as one.
//  4. `go test -race` where goroutines share data, and plain `go test` everywhere else. Seeds of
//     fuzz targets and testscript stories are ordinary tests and run with them.
//
// The last lines say how many tests ran, failed and were skipped, and why they were skipped. The exit
// code is 0 when everything passed, 1 when a test failed, 2 when the preparation failed.
//
// It reads no standard input, asks nothing, and needs no terminal.
package main
