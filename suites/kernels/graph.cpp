#include <algorithm>
#include <queue>
#include <set>

#include "suites/kernels/inputs.h"

namespace warplock::suites {
namespace {

using executor::Launch;

struct Edge {
  uint32_t from, to;
  int32_t weight = 1;
};

struct Graph {
  std::string name;
  uint32_t vertices = 0;
  std::vector<Edge> edges;
};

Graph random_graph(std::string name, uint32_t vertices, size_t edges, uint32_t seed) {
  Graph graph{std::move(name), vertices, {}};
  Random random(seed);
  while (graph.edges.size() < edges) {
    const uint32_t from = random.below(vertices), to = random.below(vertices);
    graph.edges.push_back({from, to, as_signed(random.below(20))});
  }
  return graph;
}

/// Graphs of up to `most` >= 5 vertices, with at most 2 * most edges.
std::vector<Graph> graphs(uint32_t most) {
  Graph path{"path", most, {}}, back{"path-backwards", most, {}}, ring{"ring", most, {}};
  Graph star{"star", most, {}}, pairs{"pairs", most, {}};
  for (uint32_t v = 0; v + 1 < most; ++v) {
    path.edges.push_back({v, v + 1, as_signed(v)});
    back.edges.push_back({v + 1, v, 2});
    star.edges.push_back({0, v + 1, 7});
    if (v % 2 == 0) pairs.edges.push_back({v, v + 1, 3});
  }
  ring.edges = path.edges;
  ring.edges.push_back({most - 1, 0, 1});
  return {path,
          back,
          ring,
          star,
          pairs,
          {"no-edges", most, {}},
          {"one-vertex", 1, {}},
          {"self-loops", 3, {{0, 0, 0}, {1, 1, 5}, {2, 2, 0}, {0, 1, 4}}},
          {"two-ways", 4, {{0, 1, 10}, {1, 3, 10}, {0, 2, 1}, {2, 3, 1}, {3, 0, 1}}},
          random_graph("random-sparse", most, most, 3),
          random_graph("random-dense", most, 2 * most, 4)};
}

/// Bit u of the result's word v: the edge from u to v, or also from v to u when `both`.
Words incoming_bits(const Graph& graph, size_t words, bool both) {
  Words bits(words, 0);
  for (const Edge& edge : graph.edges) {
    bits[edge.to] |= 1u << edge.from;
    if (both) bits[edge.from] |= 1u << edge.to;
  }
  return bits;
}

std::vector<KernelInput> bfs_inputs() {
  std::vector<KernelInput> inputs;
  for (const Graph& graph : graphs(16)) {
    inputs.push_back({graph.name,
                      {buffer("incoming", incoming_bits(graph, 16, false)), output("level", 16),
                       scalar("source", graph.vertices / 3), scalar("n", graph.vertices)}});
  }
  return inputs;
}

/// Levels by a queue; `follows(u, v)` says whether there is an edge from u to v.
template <typename Follows>
void breadth_first(Words& level, uint32_t source, uint32_t n, Follows follows) {
  std::fill_n(level.begin(), n, 0xffffffff);
  std::queue<uint32_t> queue;
  level[source] = 0;
  queue.push(source);
  while (!queue.empty()) {
    const uint32_t u = queue.front();
    queue.pop();
    for (uint32_t v = 0; v < n; ++v) {
      if (level[v] == 0xffffffff && follows(u, v)) {
        level[v] = level[u] + 1;
        queue.push(v);
      }
    }
  }
}

void host_bfs(const Launch& launch, Buffers& buffers) {
  breadth_first(buffers[1], scalar_at(launch, 2), scalar_at(launch, 3),
                [&](uint32_t u, uint32_t v) { return buffers[0][v] >> u & 1; });
}

std::vector<KernelInput> csr_inputs() {
  std::vector<KernelInput> inputs;
  for (const Graph& graph : graphs(64)) {
    Words row{0}, column;
    for (uint32_t v = 0; v < graph.vertices; ++v) {
      for (const Edge& edge : graph.edges) {
        if (edge.from == v) column.push_back(edge.to);
      }
      row.push_back(static_cast<uint32_t>(column.size()));
    }
    column.push_back(0);  // a buffer has at least one word
    inputs.push_back({graph.name,
                      {buffer("row", row), buffer("column", column), output("level", 64),
                       scalar("source", graph.vertices / 3), scalar("n", graph.vertices)}});
  }
  return inputs;
}

void host_csr(const Launch& launch, Buffers& buffers) {
  breadth_first(
      buffers[2], scalar_at(launch, 3), scalar_at(launch, 4), [&](uint32_t u, uint32_t v) {
        const auto columns = buffers[1].begin();
        const auto end = columns + static_cast<std::ptrdiff_t>(buffers[0][u + 1]);
        return std::find(columns + static_cast<std::ptrdiff_t>(buffers[0][u]), end, v) != end;
      });
}

std::vector<KernelInput> component_inputs() {
  std::vector<KernelInput> inputs;
  for (const Graph& graph : graphs(16)) {
    inputs.push_back({graph.name,
                      {buffer("neighbours", incoming_bits(graph, 16, true)), output("label", 16),
                       scalar("n", graph.vertices)}});
  }
  return inputs;
}

void host_components(const Launch& launch, Buffers& buffers) {
  const uint32_t n = scalar_at(launch, 2);
  Words& label = buffers[1];
  for (uint32_t v = 0; v < n; ++v) label[v] = v;
  for (uint32_t u = 0; u < n; ++u) {
    for (uint32_t v = 0; v < n; ++v) {
      if ((buffers[0][u] >> v & 1) == 0) continue;
      // Joins the two sets under the lesser name.
      const uint32_t kept = std::min(label[u], label[v]), gone = std::max(label[u], label[v]);
      std::replace(label.begin(), label.begin() + static_cast<std::ptrdiff_t>(n), gone, kept);
    }
  }
}

constexpr int32_t kFar = 1 << 28;

std::vector<KernelInput> floyd_inputs() {
  std::vector<KernelInput> inputs;
  for (const Graph& graph : graphs(5)) {
    const uint32_t n = graph.vertices;
    Words distance(25, as_word(kFar));
    for (uint32_t v = 0; v < n; ++v) distance[v * n + v] = 0;
    for (const Edge& edge : graph.edges) {
      uint32_t& known = distance[edge.from * n + edge.to];
      known = std::min(known, as_word(edge.weight));
    }
    inputs.push_back({graph.name, {buffer("distance", distance), scalar("n", n)}});
  }
  return inputs;
}

void host_floyd(const Launch& launch, Buffers& buffers) {
  // Dijkstra's algorithm from every vertex.
  const uint32_t n = scalar_at(launch, 1);
  const Words weight = buffers[0];
  for (uint32_t source = 0; source < n; ++source) {
    std::set<uint32_t> open;
    Words distance(weight.begin() + source * n, weight.begin() + (source + 1) * n);
    for (uint32_t v = 0; v < n; ++v) open.insert(v);
    while (!open.empty()) {
      const uint32_t u = *std::min_element(open.begin(), open.end(), [&](uint32_t a, uint32_t b) {
        return distance[a] < distance[b];
      });
      open.erase(u);
      for (uint32_t v = 0; v < n; ++v) {
        distance[v] = std::min(distance[v], distance[u] + weight[u * n + v]);
      }
    }
    std::copy(distance.begin(), distance.end(), buffers[0].begin() + source * n);
  }
}

std::vector<KernelInput> bellman_inputs() {
  std::vector<Graph> all = graphs(8);
  all.push_back({"negative-weights", 6, {{0, 1, 5}, {0, 2, 9}, {2, 1, -7}, {1, 3, 1}, {3, 4, -3}}});
  std::vector<KernelInput> inputs;
  for (const Graph& graph : all) {
    Words from(16, 0), to(16, 0), weight(16, 0);
    for (size_t i = 0; i < graph.edges.size(); ++i) {
      from[i] = graph.edges[i].from;
      to[i] = graph.edges[i].to;
      weight[i] = as_word(graph.edges[i].weight);
    }
    inputs.push_back({graph.name,
                      {buffer("from", from), buffer("to", to), buffer("weight", weight),
                       output("distance", 8), scalar("source", 0), scalar("n", graph.vertices),
                       scalar("edges", static_cast<uint32_t>(graph.edges.size()))}});
  }
  return inputs;
}

void host_bellman(const Launch& launch, Buffers& buffers) {
  const uint32_t n = scalar_at(launch, 5), edges = scalar_at(launch, 6);
  std::vector<int32_t> distance(n, kFar);
  distance[scalar_at(launch, 4)] = 0;
  // No input has a negative cycle, so relaxing in any order until nothing changes gives the same.
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = 0; i < edges; ++i) {
      const int32_t start = distance[buffers[0][i]];
      const int32_t through = start + as_signed(buffers[2][i]);
      if (start == kFar || through >= distance[buffers[1][i]]) continue;
      distance[buffers[1][i]] = through;
      changed = true;
    }
  }
  for (uint32_t v = 0; v < n; ++v) buffers[3][v] = as_word(distance[v]);
}

std::vector<KernelInput> degree_inputs() {
  std::vector<KernelInput> inputs;
  for (const Graph& graph : graphs(12)) {
    Words from(24, 0), to(24, 0);
    for (size_t i = 0; i < graph.edges.size(); ++i) {
      from[i] = graph.edges[i].from;
      to[i] = graph.edges[i].to;
    }
    inputs.push_back(
        {graph.name,
         {buffer("from", from), buffer("to", to), zeros("in_degree", 12), zeros("out_degree", 12),
          scalar("edges", static_cast<uint32_t>(graph.edges.size()))}});
  }
  return inputs;
}

void host_degree(const Launch& launch, Buffers& buffers) {
  const auto edges = static_cast<std::ptrdiff_t>(scalar_at(launch, 4));
  for (uint32_t v = 0; v < 12; ++v) {
    for (const size_t side : {size_t{0}, size_t{1}}) {
      const auto begin = buffers[side].begin();
      buffers[3 - side][v] += as_word(std::count(begin, begin + edges, v));
    }
  }
}

std::vector<KernelInput> closure_inputs() {
  std::vector<KernelInput> inputs;
  for (const Graph& graph : graphs(16)) {
    Words reach(16, 0);
    for (const Edge& edge : graph.edges) reach[edge.from] |= 1u << edge.to;
    inputs.push_back({graph.name, {buffer("reach", reach), scalar("n", graph.vertices)}});
  }
  return inputs;
}

void host_closure(const Launch& launch, Buffers& buffers) {
  const uint32_t n = scalar_at(launch, 1);
  const Words edges = buffers[0];
  for (uint32_t source = 0; source < n; ++source) {
    // Depth-first, with the edges of the source as the start.
    Words stack{source};
    uint32_t seen = 0;
    while (!stack.empty()) {
      const uint32_t u = stack.back();
      stack.pop_back();
      for (uint32_t v = 0; v < n; ++v) {
        if ((edges[u] & ~seen) >> v & 1) {
          seen |= 1u << v;
          stack.push_back(v);
        }
      }
    }
    buffers[0][source] = seen;
  }
}

}  // namespace

std::vector<Kernel> graph_kernels() {
  const std::string family = "graph";
  return {
      {"bfs_levels",
       family,
       "breadth-first search on bit rows",
       {1, 1, 1},
       {16, 1, 1},
       0,
       bfs_inputs,
       host_bfs},
      {"bfs_csr",
       family,
       "breadth-first search on compressed rows",
       {1, 1, 1},
       {64, 1, 1},
       0,
       csr_inputs,
       host_csr},
      {"connected_components",
       family,
       "components by label propagation",
       {1, 1, 1},
       {16, 1, 1},
       0,
       component_inputs,
       host_components},
      {"floyd_warshall",
       family,
       "shortest paths between all pairs",
       {1, 1, 1},
       {5, 5, 1},
       0,
       floyd_inputs,
       host_floyd},
      {"bellman_ford",
       family,
       "shortest paths over a list of edges",
       {1, 1, 1},
       {16, 1, 1},
       0,
       bellman_inputs,
       host_bellman},
      {"degree_count",
       family,
       "degrees by atomics",
       {3, 1, 1},
       {8, 1, 1},
       0,
       degree_inputs,
       host_degree},
      {"transitive_closure",
       family,
       "reachability by Warshall's algorithm",
       {1, 1, 1},
       {16, 1, 1},
       0,
       closure_inputs,
       host_closure},
  };
}

}  // namespace warplock::suites
