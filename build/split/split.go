// Package split cuts a bundle into modules that can be compiled one by one.
//
// Compiling is most of the work of building a large package, and most of a large bundle is the
// same as in the build before: libraries, and the author's other files. A bundler that hoists all
// scopes into one leaves no seam, but it writes where each source begins. This package cuts there,
// and makes a module of each piece by importing what it uses of the pieces before it and exporting
// what those behind it use. Names are unique across a bundle, so that is all it takes.
//
// What it guarantees: the modules, evaluated by importing the last, do what the bundle does, in the
// same order. Pieces that use something of a later piece (modules that import each other in a
// circle) are put together with it. A piece is the same text as long as its source is, and the names
// that it uses and that are used of it, so that what was compiled of it can be kept; Lines lead from a module's
// lines to the bundle's.
//
// What it refuses, by saying no: a bundle it is not sure about. The caller then compiles it whole.
package split

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/js"
	"golang.org/x/sync/errgroup"
)

// Threshold is the size of a bundle, in bytes, from which on it is worth cutting.
const Threshold = 16 << 10

// pieceSize is the size up to which neighbouring sources share a module: each module has a cost.
const pieceSize = 16 << 10

// Module is a piece of a bundle.
type Module struct {
	// Name is the module's specifier and file name. It does not change from build to build.
	Name string
	Code []byte
	// Lines say which lines of the bundle the module's lines are.
	Lines []Lines
}

// Lines is a run of lines: line At of the module and what follows is line Bundle of the bundle and
// what follows. Both count from 1.
type Lines struct{ At, Bundle int }

// Names are what a piece declares and uses.
type Names struct {
	Declares, Uses []string
	Lazy           bool // see piece
}

// Known keeps the names of pieces between builds, by the SHA-256 of their text.
type Known map[[sha256.Size]byte]Names

// Bundle cuts a bundle, an ES module without imports. The modules are in the order of their
// evaluation; importing the last evaluates all. ok is false when the bundle must be compiled whole.
// prefix begins the names of the modules. known is what an earlier call found out, or nil; what is
// returned in its place is for the next one.
func Bundle(code []byte, prefix string, known Known) (modules []Module, found Known, ok bool) {
	if len(code) < Threshold || bytes.Contains(code, []byte("eval(")) || bytes.Contains(code, []byte("import(")) {
		// Code that is made from text may name anything; so may an import that was left alone.
		return nil, nil, false
	}
	pieces := cut(code)
	if len(pieces) < 2 || !analyse(pieces, known) {
		return nil, nil, false
	}
	found = Known{}
	for _, p := range pieces {
		found[p.hash] = Names{p.declares, p.uses, p.lazy}
	}
	if pieces = join(settle(pieces)); len(pieces) < 2 {
		return nil, nil, false
	}
	declaredIn := map[string]int{}
	for i, p := range pieces {
		for _, name := range p.declares {
			if _, twice := declaredIn[name]; twice {
				return nil, nil, false
			}
			declaredIn[name] = i
		}
	}
	exported := make([]map[string]bool, len(pieces))
	for i, p := range pieces {
		for _, name := range p.uses {
			if at, found := declaredIn[name]; found && at != i {
				if exported[at] == nil {
					exported[at] = map[string]bool{}
				}
				exported[at][name] = true
			}
		}
	}
	names := map[string]bool{}
	for i, p := range pieces {
		p.exports = slices.Sorted(maps.Keys(exported[i]))
		m := Module{Name: prefix + "/" + p.source, Lines: p.lines}
		for n := 2; names[m.Name]; n++ {
			m.Name = fmt.Sprintf("%s/%s#%d", prefix, p.source, n)
		}
		names[m.Name] = true
		imports := map[int][]string{}
		for _, name := range p.uses {
			if at, found := declaredIn[name]; found && at != i {
				imports[at] = append(imports[at], name)
			}
		}
		m.Code = p.module(i, imports, modules)
		modules = append(modules, m)
	}
	return modules, found, true
}

// piece is the text of one source, or of several.
type piece struct {
	source   string // the first source's path
	group    string // neighbours of one group may be put together
	lines    []Lines
	text     []byte // begins with the line that names the source
	hash     [sha256.Size]byte
	declares []string
	uses     []string
	exports  []string // what of declares other pieces use
	lazy     bool     // holds nothing but objects of getters, which look at names when they are asked
}

// module writes a piece as a module. All that is added stands on the first line, which is a
// comment otherwise.
func (p *piece) module(index int, imports map[int][]string, before []Module) []byte {
	var b bytes.Buffer
	if index > 0 {
		// Evaluation in order, also where a piece waits for something.
		fmt.Fprintf(&b, "import %q;", before[index-1].Name)
	}
	from := make([]int, 0, len(imports))
	for at := range imports {
		from = append(from, at)
	}
	slices.Sort(from)
	for _, at := range from {
		slices.Sort(imports[at])
		fmt.Fprintf(&b, "import{%s}from %q;", strings.Join(imports[at], ","), before[at].Name)
	}
	if len(p.exports) > 0 {
		fmt.Fprintf(&b, "export{%s};", strings.Join(p.exports, ","))
	}
	b.Write(p.text)
	return b.Bytes()
}

// cut finds where sources begin: lines that hold nothing but "// " and a path.
func cut(code []byte) []*piece {
	current := &piece{source: "start", group: "start", lines: []Lines{{1, 1}}}
	pieces := []*piece{current}
	start := 0
	line := 0
	for at := 0; at < len(code); {
		line++
		end := len(code)
		if n := bytes.IndexByte(code[at:], '\n'); n >= 0 {
			end = at + n + 1
		}
		if source, ok := marker(code[at:end]); ok {
			group := groupOf(source)
			if group != current.group || at-start >= pieceSize {
				current.text = code[start:at]
				current = &piece{source: source, group: group, lines: []Lines{{1, line}}}
				pieces = append(pieces, current)
				start = at
			}
		}
		at = end
	}
	current.text = code[start:]
	return pieces
}

func marker(line []byte) (source string, ok bool) {
	rest, ok := bytes.CutPrefix(line, []byte("// "))
	if !ok {
		return "", false
	}
	source = string(bytes.TrimRight(rest, "\n"))
	for _, root := range []string{"src/", "node_modules/", "neuralis:", ".neuralis/", "neuralis-"} {
		if strings.HasPrefix(source, root) && !strings.ContainsAny(source, " \"'`\\") {
			return source, true
		}
	}
	return "", false
}

// groupOf names what changes together: a library, the sandbox's own code. Each of the author's
// folders is one; a file there still begins a new piece once the piece is large.
func groupOf(source string) string {
	switch {
	case strings.HasPrefix(source, "neuralis"):
		return "neuralis"
	case strings.HasPrefix(source, "node_modules/"):
		rest := source[strings.LastIndex(source, "node_modules/")+len("node_modules/"):]
		parts := strings.SplitN(rest, "/", 3)
		if strings.HasPrefix(rest, "@") && len(parts) > 1 {
			return parts[0] + "/" + parts[1]
		}
		return parts[0]
	}
	return source[:strings.LastIndex(source, "/")+1]
}

// analyse finds the names that pieces declare and use.
func analyse(pieces []*piece, known Known) bool {
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, p := range pieces {
		p.hash = sha256.Sum256(p.text)
		if names, ok := known[p.hash]; ok {
			p.declares, p.uses, p.lazy = names.Declares, names.Uses, names.Lazy
			continue
		}
		group.Go(func() error {
			ast, err := js.Parse(parse.NewInputBytes(slices.Clone(p.text)), js.Options{})
			if err != nil {
				return err
			}
			for _, v := range ast.Scope.Declared {
				p.declares = append(p.declares, string(v.Data))
			}
			uses := map[string]bool{}
			for _, v := range ast.Scope.Undeclared {
				uses[string(v.Name())] = true
			}
			for name := range uses {
				p.uses = append(p.uses, name)
			}
			slices.Sort(p.declares)
			p.declares = slices.Compact(p.declares)
			slices.Sort(p.uses)
			p.lazy = len(ast.List) > 0
			for _, statement := range ast.List {
				switch statement.(type) {
				case *js.ImportStmt, *js.ExportStmt:
					return fmt.Errorf("a bundle has no imports and exports")
				}
				p.lazy = p.lazy && isLazy(statement)
			}
			return nil
		})
	}
	return group.Wait() == nil
}

// isLazy tells the two statements by which the bundler makes a namespace object:
//
//	var x_exports = {};
//	__export(x_exports, { name: () => name });
func isLazy(statement js.IStmt) bool {
	switch s := statement.(type) {
	case *js.EmptyStmt, *js.Comment:
		return true
	case *js.VarDecl:
		for _, element := range s.List {
			object, ok := element.Default.(*js.ObjectExpr)
			if !ok || len(object.List) > 0 {
				return false
			}
		}
		return true
	case *js.ExprStmt:
		call, ok := s.Value.(*js.CallExpr)
		if !ok || len(call.Args.List) != 2 {
			return false
		}
		callee, ok := call.X.(*js.Var)
		if !ok || string(callee.Name()) != "__export" {
			return false
		}
		getters, ok := call.Args.List[1].Value.(*js.ObjectExpr)
		if !ok {
			return false
		}
		for _, property := range getters.List {
			if _, ok := property.Value.(*js.ArrowFunc); !ok {
				return false
			}
		}
		return true
	}
	return false
}

// settle moves namespace objects behind what they are about. The bundler writes them first, which
// makes no difference to anybody who looks at them later; a piece in between that names one makes
// join put all together again.
func settle(pieces []*piece) []*piece {
	declaredIn := index(pieces)
	behind := make([][]*piece, len(pieces))
	for i, p := range pieces {
		at := i
		if p.lazy {
			for _, name := range p.uses {
				if in, ok := declaredIn[name]; ok {
					at = max(at, in)
				}
			}
		}
		if at == i {
			behind[i] = append([]*piece{p}, behind[i]...)
		} else {
			behind[at] = append(behind[at], p)
		}
	}
	return slices.Concat(behind...)
}

func index(pieces []*piece) map[string]int {
	declaredIn := map[string]int{}
	for i, p := range pieces {
		for _, name := range p.declares {
			declaredIn[name] = i
		}
	}
	return declaredIn
}

// join puts pieces together that use something of a later piece.
func join(pieces []*piece) []*piece {
	declaredIn := index(pieces)
	var joined []*piece
	for i := 0; i < len(pieces); {
		last := i
		for at := i; at <= last; at++ {
			for _, name := range pieces[at].uses {
				if in, ok := declaredIn[name]; ok && in > last {
					last = in
				}
			}
		}
		p := *pieces[i]
		p.lazy = false
		for _, next := range pieces[i+1 : last+1] {
			p.lines = append(slices.Clone(p.lines), Lines{bytes.Count(p.text, []byte("\n")) + 1, next.lines[0].Bundle})
			p.text = slices.Concat(p.text, next.text)
			p.declares = slices.Concat(p.declares, next.declares)
			p.uses = slices.Concat(p.uses, next.uses)
		}
		if last > i {
			slices.Sort(p.declares)
			slices.Sort(p.uses)
			p.uses = slices.Compact(p.uses)
		}
		joined = append(joined, &p)
		i = last + 1
	}
	return joined
}
