// Random objects and requests: pods, nodes, namespaces and workloads of the same few words that the random
// rules use, so that the two meet, and most often only just.
#pragma once

#include <string>
#include <vector>

#include "reference/chance.h"

namespace driftbar::reference {

class Objects {
 public:
  // `recorded`: requests that an API server sent, to be judged as they are and as what others are made of.
  Objects(Chance& chance, std::vector<Row> recorded) : chance_(chance), recorded_(std::move(recorded)) {}

  Row nodes();
  Row namespaces();
  // What a look-up would find: `pods`, `owners`, and `nodes` that the inventory does not have.
  Row found();
  // What an AdmissionReview has in `request`.
  Row request();

 private:
  Row pod();
  Row podSpec();
  Row container(const char* name);
  Row labels(bool ofNode = false);
  Row metadata(const char* name);
  Row owners();
  Row resources();
  Row env();
  Row volumes();
  Row affinity();
  Row tolerations();
  Row node(const std::string& name);
  Row workload(std::string& group, std::string& resource);
  Row user(const Row& object);
  void change(Row& object);
  void changePod(Row& pod);
  void changeWorkload(Row& object);
  void changeNode(Row& node);
  Row envelope(const Row& object, const std::string& group, const std::string& resource);
  Row update(Row request);
  Row withoutPod();

  Chance& chance_;
  std::vector<Row> recorded_;
};

}  // namespace driftbar::reference
