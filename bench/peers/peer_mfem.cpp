/* CEED's bake-off problems 1, 3 and 5 (https://ceed.exascaleproject.org/bps) by MFEM, for
 * bench/peers/mfem.
 *
 *     peer_mfem --bake-off=5 --unknowns=1e6 --iterations=32 --repeat=3
 *
 * Plain CG on a box of hexahedra with values held on all faces; one line of numbers separated by
 * tabs. ORDER, 1 to 8, is a macro, because MFEM's fast kernels want it while compiling.
 *
 * 1: mass matrix, p + 2 Gauss points in each direction; 3: stiffness matrix, the same points;
 * 5: stiffness matrix, points at the nodes (Gauss-Lobatto, p + 1). Methods: `partial`, MFEM's
 * partial assembly, which holds 6 numbers a point (1 for mass) and works on every device that MFEM
 * was built for; `templates`, those of its miniapps/performance, which hold the same numbers and
 * vectorise over cells (CPU, 1 and 3). */
#include <mfem.hpp>
#ifndef MFEM_USE_CUDA
#include <mfem-performance.hpp>
#endif

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <pthread.h>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <fem/integ/bilininteg_diffusion_kernels.hpp>

using namespace mfem;

namespace
{

struct options {
    int bake_off = 5, iterations = 32, repeat = 3, copies = 1;
    double unknowns = 1e6, deform = 0;
    bool check = false;
    std::string method = "partial", device = "cpu";
};

/* Copies of this process that time the same work at once: what runs on as many MPI ranks cannot
 * exceed, because the copies exchange nothing. */
struct copies {
    pthread_barrier_t barrier;
    double median[64], least[64]; /* seconds of the repeats of each */
};

double deformation;

void deform(const Vector &x, Vector &y)
{
    const double shift =
        deformation * std::sin(M_PI * x(0)) * std::sin(M_PI * x(1)) * std::sin(M_PI * x(2));
    for (int k = 0; k < 3; k++)
        y(k) = x(k) + shift;
}

double exact(const Vector &x)
{
    return std::sin(M_PI * x(0)) * std::sin(M_PI * x(1)) * std::sin(M_PI * x(2));
}

double source(const Vector &x)
{
    return 3 * M_PI * M_PI * exact(x);
}

/* The kernels of this order, compiled here for this machine. MFEM leaves order 8 to its general
 * kernel, which is much slower. Those of the mass matrix are in a header that cannot be included
 * beside that of the stiffness matrix: order 8 of bake-off 1 keeps the general kernel. */
void specialise()
{
    DiffusionIntegrator::AddSpecialization<3, ORDER + 1, ORDER + 1>();
    DiffusionIntegrator::AddSpecialization<3, ORDER + 1, ORDER + 2>();
}

/* The operator of MFEM's templates; nullptr without them. */
#ifdef MFEM_USE_CUDA
std::unique_ptr<Operator> make_templates(int, FiniteElementSpace &)
{
    return nullptr;
}
#else
template <template <int, int, typename> class Kernel>
std::unique_ptr<Operator> make_template(FiniteElementSpace &space)
{
    using mesh_type = TMesh<H1_FiniteElementSpace<H1_FiniteElement<Geometry::CUBE, 1>>>;
    using space_type = H1_FiniteElementSpace<H1_FiniteElement<Geometry::CUBE, ORDER>>;
    using rule = TIntegrationRule<Geometry::CUBE, 2 * ORDER + 3>;
    using integrator = TIntegrator<TConstantCoefficient<>, Kernel>;
    using form = TBilinearForm<mesh_type, space_type, rule, integrator>;
    auto made = std::make_unique<form>(integrator(TConstantCoefficient<>(1.0)), space);
    made->Assemble();
    return made;
}

std::unique_ptr<Operator> make_templates(int bake_off, FiniteElementSpace &space)
{
    return bake_off == 1 ? make_template<TMassKernel>(space)
                         : make_template<TDiffusionKernel>(space);
}
#endif

/* CPU seconds where this process has one thread, so that others on the machine disturb less;
 * seconds by the clock where threads or a device work for it. */
double now(const struct options &o)
{
    struct timespec t;
    clock_gettime(o.device == "cpu" ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bool parse(const std::string &argument, struct options &o)
{
    const size_t equals = argument.find('=');
    const std::string name = argument.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : argument.substr(equals + 1);
    if (name == "--check" && value.empty())
        return o.check = true;
    if (value.empty())
        return false;
    if (name == "--method")
        o.method = value;
    else if (name == "--device")
        o.device = value;
    else if (name == "--bake-off")
        o.bake_off = std::atoi(value.c_str());
    else if (name == "--unknowns")
        o.unknowns = std::atof(value.c_str());
    else if (name == "--iterations")
        o.iterations = std::atoi(value.c_str());
    else if (name == "--repeat")
        o.repeat = std::atoi(value.c_str());
    else if (name == "--copies")
        o.copies = std::atoi(value.c_str());
    else if (name == "--deform")
        o.deform = std::atof(value.c_str());
    else
        return false;
    return true;
}

bool sensible(const struct options &o)
{
    return (o.bake_off == 1 || o.bake_off == 3 || o.bake_off == 5) && o.iterations >= 1 &&
           o.repeat >= 1 && o.copies >= 1 && o.copies <= 64 && o.unknowns >= 1 &&
           std::abs(o.deform) < 0.3 &&
           (o.method == "partial" ||
            (o.method == "templates" && o.bake_off != 5 && o.device == "cpu"));
}

/* One copy: set-up, then the median of its repeats; the last copy prints. */
void run(const struct options &o, struct copies *all, int copy)
{
    // 1. The box: an even number of cells a direction, so that whole vectors of cells fill it.
    const int cells =
        2 * std::max(1, (int)std::lround(std::cbrt(o.unknowns / o.copies) / ORDER / 2));
    Device device(o.device);
    Mesh mesh = Mesh::MakeCartesian3D(cells, cells, cells, Element::HEXAHEDRON);
    mesh.SetCurvature(1, false, -1, Ordering::byNODES); // what the templates read
    deformation = o.deform;
    if (o.deform != 0)
        mesh.Transform(deform);

    // 2. The space, what its faces hold, the rule.
    H1_FECollection elements(ORDER, 3, BasisType::GaussLobatto);
    FiniteElementSpace space(&mesh, &elements);
    Array<int> faces(mesh.bdr_attributes.Max()), held;
    faces = 1;
    space.GetEssentialTrueDofs(faces, held);
    const bool lobatto = o.bake_off == 5;
    IntegrationRules rules(0, lobatto ? Quadrature1D::GaussLobatto : Quadrature1D::GaussLegendre);
    const IntegrationRule &rule =
        rules.Get(Geometry::CUBE, lobatto ? 2 * ORDER - 1 : 2 * ORDER + 3);

    // 3. The operator and the right-hand side.
    ConstantCoefficient one(1.0);
    FunctionCoefficient f(o.bake_off == 1 ? exact : source), u(exact);
    LinearForm b(&space);
    b.AddDomainIntegrator(new DomainLFIntegrator(f, &rule));
    b.Assemble();
    BilinearForm a(&space);
    if (o.bake_off == 1)
        a.AddDomainIntegrator(new MassIntegrator(one, &rule));
    else
        a.AddDomainIntegrator(new DiffusionIntegrator(one, &rule));
    GridFunction x(&space);
    x = 0.0;
    Vector B, X;
    OperatorPtr A;
    std::unique_ptr<Operator> templates;
    Operator *system = nullptr;
    if (o.method == "templates") {
        templates = make_templates(o.bake_off, space);
        MFEM_VERIFY(templates, "this MFEM was built for CUDA: its templates are left out");
        templates->FormLinearSystem(held, x, b, system, X, B);
        A.Reset(system);
    } else {
        a.SetAssemblyLevel(AssemblyLevel::PARTIAL);
        a.Assemble();
        a.FormLinearSystem(held, x, b, A, X, B);
    }

    // 4. CG: a solve that is checked, or timed ones of so many iterations.
    CGSolver cg;
    cg.SetOperator(*A);
    cg.iterative_mode = false;
    cg.SetPrintLevel(-1);
    cg.SetAbsTol(0.0);
    cg.SetRelTol(o.check ? 1e-10 : 0.0);
    cg.SetMaxIter(o.check ? 10000 : o.iterations);
    std::vector<double> seconds;
    for (int repeat = o.check ? 0 : -1; repeat < o.repeat; repeat++) {
        pthread_barrier_wait(&all->barrier);
        MFEM_DEVICE_SYNC;
        const double start = now(o);
        cg.Mult(B, X);
        MFEM_DEVICE_SYNC;
        if (repeat >= 0)
            seconds.push_back(now(o) - start);
    }
    std::sort(seconds.begin(), seconds.end());
    all->median[copy] = seconds[seconds.size() / 2];
    all->least[copy] = seconds[0];
    pthread_barrier_wait(&all->barrier);
    if (copy < o.copies - 1)
        return;
    const double unknowns = (double)o.copies * (space.GetTrueVSize() - held.Size());
    const double work = 1e-9 * unknowns * cg.GetNumIterations();
    std::printf("%s\t%s\t%d\t%d\t%d\t%d\t%.0f\t%d\t%.4g\t%.4g", o.method.c_str(), o.device.c_str(),
                o.copies, o.bake_off, ORDER, cells, unknowns, cg.GetNumIterations(),
                work / *std::max_element(all->median, all->median + o.copies),
                work / *std::max_element(all->least, all->least + o.copies));
    if (o.check) {
        if (templates)
            templates->RecoverFEMSolution(X, b, x);
        else
            a.RecoverFEMSolution(X, b, x);
        std::printf("\t%.3e", x.ComputeL2Error(u));
    }
    std::printf("\n");
    std::fflush(stdout);
}

} // namespace

int main(int argc, char **argv)
{
    struct options o;
    bool good = true;
    for (int i = 1; i < argc; i++)
        good = parse(argv[i], o) && good;
    if (!good || !sensible(o)) {
        std::fprintf(stderr,
                     "usage: peer_mfem [--method=partial|templates] [--device=cpu|omp|cuda] "
                     "[--bake-off=1|3|5]\n    [--unknowns=1e6] [--deform=0.1] "
                     "[--iterations=32] [--repeat=3] [--copies=1..64] [--check]\n"
                     "templates: bake-off 1 and 3 on the CPU. --check solves to 1e-10 and adds the "
                     "L2 error.\nPrints: method, device, copies, bake-off, order, cells a "
                     "direction, unknowns, iterations, GDoF/s: median, best\n");
        return 1;
    }
    specialise();

    void *shared = mmap(nullptr, sizeof(struct copies), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        std::perror("peer_mfem: mmap");
        return 5;
    }
    auto *all = static_cast<struct copies *>(shared);
    pthread_barrierattr_t among_processes;
    pthread_barrierattr_init(&among_processes);
    pthread_barrierattr_setpshared(&among_processes, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&all->barrier, &among_processes, o.copies);
    std::vector<pid_t> children;
    for (int copy = 0; copy < o.copies - 1; copy++) {
        const pid_t child = fork();
        if (child == 0) {
            run(o, all, copy);
            std::exit(0);
        }
        if (child < 0) {
            std::perror("peer_mfem: fork");
            for (pid_t started : children)
                kill(started, SIGTERM); // they would wait for ever
            return 5;
        }
        children.push_back(child);
    }
    run(o, all, o.copies - 1);
    int status = 0, worst = 0;
    while (wait(&status) > 0)
        worst = std::max(worst, status);
    return worst == 0 ? 0 : 7;
}
